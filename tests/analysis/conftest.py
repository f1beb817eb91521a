from __future__ import annotations

import pytest

from analysis.metrics import registry


@pytest.fixture(autouse=True)
def _no_trained_metric(monkeypatch, request):
    """What a test has learned is forgotten after it; without a database nobody is asked."""
    monkeypatch.setattr(registry, "_learned", {})
    if request.node.get_closest_marker("django_db") is None:
        monkeypatch.setattr(registry, "_finders", [])
