from __future__ import annotations

import pytest

from analysis.metrics import registry


@pytest.fixture(autouse=True)
def _no_trained_metric(monkeypatch):
    """What a test has learned is forgotten after it."""
    monkeypatch.setattr(registry, "_learned", {})
