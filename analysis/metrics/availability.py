"""Which metrics a machine cannot compute, and why: seen without loading or starting anything."""

from __future__ import annotations

from analysis.metrics.config import MetricConfig
from analysis.metrics.registry import families, needs_of, resources


def unavailable(config: MetricConfig) -> dict[str, str]:
    """A sentence for each metric that cannot be computed with this configuration."""
    lacking = {one.name: one.lack(config) for one in resources()}
    return {
        name: reason
        for family in families()
        for name in family.metrics
        if (reason := next((lacking[need] for need in _resources(name) if lacking[need]), ""))
    }


def _resources(name: str) -> list[str]:
    needed = needs_of([name])
    return [one.name for one in resources() if one.name in needed]
