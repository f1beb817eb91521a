"""README says how many metrics the demo shows."""

from __future__ import annotations

import re
from pathlib import Path

from analysis.metrics.encoding.models import DEMO, ModelChoice
from analysis.metrics.registry import metric_names
from analysis.services.metric_workers import metrics_unavailable

README = Path(__file__).parents[2] / "README.md"


def test_as_many_metrics_as_the_readme_counts():
    """Where nothing but SPICE is missing, whose program no package registry has."""
    missing = metrics_unavailable(ModelChoice(DEMO))
    assert set(missing) <= {"spice"}, missing
    told = re.search(r"What (\d+) automatic metrics say", README.read_text(encoding="utf-8"))
    assert told is not None
    assert int(told[1]) == len(metric_names()) - 1
