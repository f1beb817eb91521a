"""What the machines that compute metrics say of themselves, so that pages can tell people."""

from __future__ import annotations

import socket

from django.conf import settings
from django.utils import timezone

from analysis.metrics.availability import unavailable
from analysis.models import MetricWorker
from analysis.services.metric_bench import device, equipment_of


def metric_worker_report() -> None:
    """Note which metrics this process cannot compute. Web processes have no torch and never ask."""
    MetricWorker.objects.update_or_create(
        name=f"{socket.gethostname()} {device()}",
        defaults={
            "device": device(),
            "unavailable": metrics_unavailable(),
            "seen_at": timezone.now(),
        },
    )


def metrics_unavailable() -> dict[str, str]:
    """What this machine cannot compute with the first of the models, and why."""
    model, weights = model_named(settings.METRIC_MODELS[0])
    choices = {"model": model, "weights": weights, "frames": "uniform:16"}
    return unavailable(equipment_of(choices, device="cpu"))


def model_named(entry: str) -> tuple[str, str]:
    """An entry of METRIC_MODELS: a model, and its weights where they stand after a =.

    >>> model_named("ViT-B-32=openai"), model_named("demo")
    (('ViT-B-32', 'openai'), ('demo', ''))
    """
    model, _, weights = entry.partition("=")
    return model, weights
