"""What a worker keeps from one chunk to the next: models, METEOR's words, one run's captions.

One of each, so that memory is bounded however many campaigns are scored.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from billiard import current_process
from django.conf import settings

from analysis.metrics.config import MetricConfig
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.models import ModelChoice
from analysis.metrics.registry import embedding_models, needs_of
from analysis.metrics.scoring import Embeddable, embeddable
from analysis.metrics.settings import SETTINGS, Settings
from analysis.models import MetricChunk, MetricRun
from analysis.selectors.metric_material import Material, run_material

CHUNKED = {MetricChunk.Kind.SENTENCES: "sentence", MetricChunk.Kind.TEXTS: "image_text"}
"""The models whose texts are embedded in chunks of their own; others embed where they score."""


@dataclass(frozen=True)
class Job:
    """A run as its chunks are cut from it."""

    metrics: list[str]
    settings: Settings
    material: Material
    wanted: Embeddable

    @property
    def needs(self) -> frozenset[str]:
        return needs_of(self.metrics)


def settings_of(run: MetricRun) -> Settings:
    """What was chosen for the run's metrics; the rest is the papers'."""
    return Settings(**{name: run.choices[name] for name in SETTINGS if name in run.choices})


def job_of(run: MetricRun) -> Job:
    return _job(run.pk, run.created_at)


@lru_cache(maxsize=1)
def _job(pk: int, created_at: datetime) -> Job:
    run = MetricRun.objects.get(pk=pk)
    chosen, material = settings_of(run), run_material(run)
    return Job(run.metrics, chosen, material, embeddable(material.batch, run.metrics, chosen))


def context_of(run: MetricRun, needs: Collection[str]) -> ScoringContext:
    return _context(config_of(run.choices, device_for(needs)))


@lru_cache(maxsize=1)
def _context(config: MetricConfig) -> ScoringContext:
    return config.context()


def context_forget() -> None:
    """What failed once, a full disk or a broken file, is tried anew next time."""
    _context.cache_clear()


def device_for(needs: Collection[str]) -> str:
    """A GPU only for what needs a model: to look for one takes a second."""
    return device() if embedding_models() & set(needs) else "cpu"


def config_of(choices: dict[str, Any], device: str) -> MetricConfig:
    """This machine's programs with a run's choices."""
    return MetricConfig(
        store=settings.METRIC_STORE,
        model=ModelChoice(choices["model"], choices["weights"]),
        rendered=choices.get("rendered", False),
        device=device,
        paths=resource_paths(),
    )


def resource_paths() -> tuple[tuple[str, Path], ...]:
    """Where the operator keeps the files of resources."""
    return tuple((name, Path(path)) for name, path in settings.METRIC_RESOURCES.items())


def model_of_operator() -> ModelChoice | None:
    """The first of METRIC_MODELS that is a real one."""
    named = map(ModelChoice.named, settings.METRIC_MODELS)
    return next((model for model in named if not model.is_demo), None)


@cache
def device() -> str:
    """A GPU for each process of the worker, in turn; the CPU where there is none."""
    if settings.METRIC_DEVICE != "auto":
        return str(settings.METRIC_DEVICE)
    try:
        import torch
    except ImportError:
        return "cpu"
    there = torch.cuda.device_count()
    return f"cuda:{getattr(current_process(), 'index', 0) % there}" if there else "cpu"


def precision() -> str:
    """Embeddings made on a GPU are not those made on a CPU: a run keeps to one kind."""
    return "half" if device().startswith("cuda") else "full"
