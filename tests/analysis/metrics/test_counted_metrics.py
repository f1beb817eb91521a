"""README says how many metrics the demo shows."""

from __future__ import annotations

import re
from pathlib import Path

from analysis.metrics.encoding.models import DEMO, ModelChoice
from analysis.metrics.registry import metric_names, needs_of, resources
from analysis.services.metric_workers import metrics_unavailable

README = Path(__file__).parents[3] / "README.md"
INSTALLED = {"image_text", "sentence", "meteor"}  # the rest is in no package registry


def test_the_demo_shows_as_many_metrics_as_the_readme_counts():
    brought = {one.name for one in resources()} - INSTALLED
    missing = metrics_unavailable(ModelChoice(DEMO))
    assert set(missing) == {name for name in metric_names() if needs_of([name]) & brought}, missing
    told = re.search(r"What (\d+) automatic metrics say", README.read_text(encoding="utf-8"))
    assert told is not None
    assert int(told[1]) == len(metric_names()) - len(missing)
