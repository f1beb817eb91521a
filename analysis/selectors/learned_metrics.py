"""Metrics that learned from campaigns: known by their names, offered, shown."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError
from django.db.models import QuerySet

from analysis.learning.held_out import HeldOut
from analysis.metrics.artifacts import CONFIG, Artifact, described_by
from analysis.metrics.learned.features import METRICS
from analysis.metrics.registry import Family
from analysis.models import LearnedMetric, LearnedMetricQuerySet, MetricWorker
from hits.models import Campaign, System

NO_REFERENCES = "The campaign has no references, which a learned metric needs."
NO_RATINGS = "Nobody has rated this campaign yet."


def learned_folder(name: str) -> Path:
    """Where the files of a trained metric lie on this machine."""
    folder: Path = settings.METRIC_STORE / "learned" / name
    return folder


def learned_artifact(row: LearnedMetric) -> Artifact:
    return described_by(row.config.encode(), learned_folder(row.name) / CONFIG)


def families_named(names: Collection[str]) -> list[Family]:
    """The trained metrics among these names, retired ones as well: their scores are still shown."""
    try:
        rows = list(LearnedMetric.objects.trained().filter(name__in=names))
    except DatabaseError:  # commands that work on files need no database
        return []
    return [learned_artifact(row).family() for row in rows]


def learned_offered(campaigns: QuerySet[Campaign]) -> LearnedMetricQuerySet:
    """What somebody may score with who may see these campaigns: what learned from them."""
    offered: LearnedMetricQuerySet = LearnedMetric.objects.offered()
    return offered.filter(campaign__in=campaigns).order_by("name")


def learned_of(campaign: Campaign) -> list[LearnedMetric]:
    """Newest first."""
    return list(campaign.learned_metrics.order_by("-pk"))


def learned_numbers(row: LearnedMetric) -> HeldOut | None:
    return HeldOut.read(row.summary) if row.summary else None


def learning_lack(campaign: Campaign, workers: list[MetricWorker]) -> str:
    """Why nothing can be learned from a campaign, in a sentence; empty where nothing is known to be
    in the way. Whether there is enough of everything is seen when it is read."""
    if not campaign.systems.filter(role=System.Role.REFERENCE).exists():
        return NO_REFERENCES
    if not campaign.ratings.exists():
        return NO_RATINGS
    for metric in METRICS:
        reasons = [worker.unavailable.get(metric) for worker in workers]
        if reasons and all(reasons):
            return f"A learned metric needs {metric}, which no worker can compute: {reasons[0]}."
    return ""


def name_proposed(kind: str = "head") -> str:
    """The first of head-1, head-2 … that nobody has taken."""
    taken = set(LearnedMetric.objects.filter(name__startswith=kind).values_list("name", flat=True))
    return next(name for at in range(1, len(taken) + 2) if (name := f"{kind}-{at}") not in taken)
