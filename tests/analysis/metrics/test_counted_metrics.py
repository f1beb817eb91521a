"""The README counts the metrics that the demo shows."""

from __future__ import annotations

import re
from pathlib import Path

from analysis.metrics.registry import metric_names

README = Path(__file__).parents[3] / "README.md"
NOT_IN_A_REGISTRY = {"spice"}  # its models are in no package


def test_the_readme_counts_what_the_demo_shows():
    [told] = re.findall(r"What (\d+) automatic metrics say", README.read_text())
    assert int(told) == len(set(metric_names()) - NOT_IN_A_REGISTRY)
