"""What the machines that compute metrics say of themselves, so that pages can tell people."""

from __future__ import annotations

import socket
from dataclasses import asdict

from django.utils import timezone

from analysis.metrics.config import MetricConfig
from analysis.metrics.encoding.models import DEMO, ModelChoice
from analysis.metrics.registry import families, needs_of, resources
from analysis.models import MetricWorker
from analysis.services.metric_context import config_of, device, model_of_operator


def metric_worker_report() -> None:
    """Note which metrics this process cannot compute. Web processes have no torch and never ask."""
    MetricWorker.objects.update_or_create(
        name=f"{socket.gethostname()} {device()}",
        defaults={
            "device": device(),
            "unavailable": metrics_unavailable(model_of_operator() or ModelChoice(DEMO)),
            "seen_at": timezone.now(),
        },
    )


def metrics_unavailable(model: ModelChoice) -> dict[str, str]:
    """What this machine cannot compute with the model, and why."""
    return unavailable(config_of(asdict(model), device="cpu"))


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
