"""What a worker keeps from one chunk to the next: a model, METEOR's words, one run's captions.

One of each, so that memory is bounded however many campaigns are scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from billiard import current_process
from django.conf import settings

from analysis.metrics.equipment import Equipment
from analysis.metrics.models import ModelChoice
from analysis.metrics.registry import Need, families_of
from analysis.metrics.scoring import Embeddable, embeddable
from analysis.metrics.settings import SETTINGS, Settings
from analysis.metrics.workbench import Workbench
from analysis.models import MetricRun
from analysis.selectors.metric_material import Material, run_material

MODELS = frozenset({Need.ENCODER, Need.SENTENCE_MODEL})


@dataclass(frozen=True)
class Job:
    """A run as its chunks are cut from it."""

    metrics: list[str]
    settings: Settings
    material: Material
    wanted: Embeddable

    @property
    def needs(self) -> frozenset[Need]:
        return needs_of(self.metrics)


def needs_of(metrics: list[str]) -> frozenset[Need]:
    return frozenset(need for family in families_of(metrics) for need in family.needs)


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


def bench_of(run: MetricRun, needs: frozenset[Need]) -> Workbench:
    return _bench(equipment_of(run.choices, device() if needs & MODELS else "cpu"), needs)


@lru_cache(maxsize=1)
def _bench(equipment: Equipment, needs: frozenset[Need]) -> Workbench:
    return equipment.workbench(needs)


def bench_forget() -> None:
    """What failed once, a full disk or a broken file, is tried anew next time."""
    _bench.cache_clear()


def equipment_of(choices: dict[str, Any], device: str) -> Equipment:
    """This machine's programs with a run's choices."""
    return Equipment(
        store=settings.METRIC_STORE,
        model=ModelChoice(choices["model"], choices["weights"]),
        rendered=choices.get("rendered", False),
        device=device,
        sentence_model=path_or_none(settings.METRIC_SENTENCE_MODEL),
        spice_home=path_or_none(settings.METRIC_SPICE_HOME),
    )


def model_of_operator() -> ModelChoice | None:
    """The first of METRIC_MODELS that is a real one."""
    named = map(ModelChoice.named, settings.METRIC_MODELS)
    return next((model for model in named if not model.is_demo), None)


def path_or_none(text: str) -> Path | None:
    return Path(text) if text else None


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
