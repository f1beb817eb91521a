"""How far a run is, and what has come of it: by system, as a table, and as `score` writes it."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import numpy as np
from django.conf import settings
from django.db.models import Avg, Count, Q, Sum
from django.utils import timezone

from analysis.metrics.files import write_scores
from analysis.metrics.registry import families, families_of
from analysis.metrics.scoring import Fault, Scores
from analysis.models import MetricChunk, MetricFault, MetricRun, MetricScore
from analysis.selectors.metric_material import Material, run_material
from hits.models import Campaign

State = MetricChunk.State


@dataclass(frozen=True)
class Progress:
    """How much of one kind of work is done, and how fast it goes."""

    kind: MetricChunk.Kind
    done: int
    total: int
    seconds_each: float | None
    busy: int

    @property
    def rate(self) -> float | None:
        """Items per second, all workers together; metrics differ too much to have one."""
        if not self.seconds_each or self.kind == MetricChunk.Kind.SCORES:
            return None
        return max(self.busy, 1) / self.seconds_each

    @property
    def seconds_left(self) -> float | None:
        left = self.total - self.done
        return left / self.rate if left and self.rate else (None if left else 0.0)


def run_progress(run: MetricRun) -> list[Progress]:
    """One query; nothing where the run is not cut into chunks yet."""
    fresh = timezone.now() - timedelta(seconds=settings.METRIC_CLAIM_SECONDS)
    kinds = (
        run.chunks.order_by()
        .values("kind")
        .annotate(
            total=Sum("size"),
            done=Sum("size", filter=~Q(state=State.PENDING)),
            timed=Sum("size", filter=Q(seconds__isnull=False)),
            spent=Sum("seconds"),
            busy=Count("pk", filter=Q(state=State.PENDING, claimed_at__gte=fresh)),
        )
    )
    found = {
        row["kind"]: Progress(
            MetricChunk.Kind(row["kind"]),
            row["done"] or 0,
            row["total"],
            row["spent"] / row["timed"] if row["timed"] else None,
            row["busy"],
        )
        for row in kinds
    }
    return [found[kind] for kind in MetricChunk.Kind if kind in found]


def time_left(progress: list[Progress]) -> str:
    """Until everything is embedded, in words; nothing before a chunk of each kind is done."""
    left = [part.seconds_left for part in progress if part.kind != MetricChunk.Kind.SCORES]
    known = [seconds for seconds in left if seconds is not None]
    if len(known) < len(left) or not sum(known):
        return ""
    minutes = round(sum(known) / 60)
    if minutes < 1:
        return "less than a minute left"
    return f"about {minutes} min left" if minutes < 90 else f"about {round(minutes / 60)} h left"


def run_faults(run: MetricRun) -> list[MetricFault]:
    """What could not be scored, in the order it was found."""
    faults = MetricFault.objects.filter(chunk__run=run).select_related("video")
    return list(faults.order_by("video__name", "pk"))


def run_latest(campaign: Campaign) -> MetricRun | None:
    return campaign.metric_runs.select_related("requested_by").order_by("-pk").first()


def metric_sources(campaign: Campaign) -> dict[str, MetricRun]:
    """For each metric that was ever scored the last run that did, in the registry's order."""
    done = campaign.metric_runs.filter(state=MetricRun.State.DONE).order_by("-pk")
    sources: dict[str, MetricRun] = {}
    for run in done:
        for metric in run.metrics:
            sources.setdefault(metric, run)
    return sources


@dataclass(frozen=True)
class Cell:
    """A system's mean of a metric over so many captions; without captions it is not defined."""

    mean: float | None
    captions: int
    is_best: bool


@dataclass(frozen=True)
class Row:
    """A metric, with a cell for each system."""

    metric: str
    summary: str
    signature: str
    cells: list[Cell]

    @property
    def captions(self) -> str:
        """How many captions of a system are behind a mean: one number where all have the same."""
        counts = sorted({cell.captions for cell in self.cells})
        return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,}–{counts[-1]:,}"


@dataclass(frozen=True)
class Table:
    """Every metric by system."""

    systems: list[str]
    rows: list[Row]


def metric_table(campaign: Campaign) -> Table | None:
    """The means, in four queries whatever the size; None before anything was scored."""
    sources = metric_sources(campaign)
    if not sources:
        return None
    means = _means(sources)
    systems = sorted({system for _, system in means})
    signatures = _signatures(sources)
    summaries = {name: text for family in families() for name, text in family.metrics.items()}
    return Table(
        systems,
        [
            Row(name, summary, signatures.get(name, ""), _cells(name, systems, means))
            for name, summary in summaries.items()
            if name in sources
        ],
    )


def _of(sources: dict[str, MetricRun]) -> Q:
    """The scores of each metric from its own run only."""
    wanted = Q(pk=None)
    for run in dict.fromkeys(sources.values()):
        names = [name for name, source in sources.items() if source == run]
        wanted |= Q(run=run, metric__in=names)
    return wanted


def _means(sources: dict[str, MetricRun]) -> dict[tuple[str, str], tuple[float, int]]:
    rows = MetricScore.objects.filter(_of(sources)).values_list("metric", "caption__system__name")
    return {
        (metric, system): (mean, count)
        for metric, system, mean, count in rows.annotate(Avg("value"), Count("pk"))
    }


def _cells(
    metric: str, systems: list[str], means: dict[tuple[str, str], tuple[float, int]]
) -> list[Cell]:
    found = [means.get((metric, system), (None, 0)) for system in systems]
    best = max((mean for mean, _ in found if mean is not None), default=None)
    return [Cell(mean, count, mean is not None and mean == best) for mean, count in found]


def _signatures(sources: dict[str, MetricRun]) -> dict[str, str]:
    chunks = MetricChunk.objects.filter(run__in=set(sources.values()))
    return {
        name: signature
        for run_id, signatures in chunks.values_list("run_id", "signatures")
        for name, signature in signatures.items()
        if name in sources and sources[name].pk == run_id
    }


def files_write(campaign: Campaign, folder: Path) -> None:
    """What `manage.py score` writes of everything that was scored, and what it would read.

    scores.csv and scores.csv.json; captions.csv and references.csv, which give the same scores.
    """
    sources = metric_sources(campaign)
    if not sources:
        raise ValueError("campaign: nothing was scored yet")
    material = run_material(max(sources.values(), key=lambda run: run.pk))
    write_scores(folder / "scores.csv", material.captions, _scores(sources, material))
    captions = material.captions
    _table_write(
        folder / "captions.csv",
        ("video", "system", "caption"),
        zip(captions.videos, captions.systems, captions.texts, strict=True),
    )
    _table_write(
        folder / "references.csv",
        ("video", "source", "caption"),
        (
            (video, f"reference-{number}", text)
            for video, texts in material.batch.references.items()
            for number, text in enumerate(texts, start=1)
        ),
    )


def _scores(sources: dict[str, MetricRun], material: Material) -> Scores:
    place = {pk: row for row, pk in enumerate(material.caption_ids)}
    ordered = [name for names in families_of(sources).values() for name in names]
    values = {name: np.full(len(place), np.nan) for name in ordered}
    rows = MetricScore.objects.filter(_of(sources)).values_list("metric", "caption_id", "value")
    for metric, caption, value in rows.iterator(10_000):
        if caption in place:
            values[metric][place[caption]] = value
    return Scores(values, _signatures(sources), *_told(sources))


def _table_write(path: Path, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _told(sources: dict[str, MetricRun]) -> tuple[list[Fault], list[str]]:
    runs = set(sources.values())
    faults = MetricFault.objects.filter(chunk__run__in=runs).select_related("video")
    notes = MetricChunk.objects.filter(run__in=runs).values_list("notes", flat=True)
    return (
        [
            Fault(fault.message, fault.video.name if fault.video else "", tuple(fault.metrics))
            for fault in faults.order_by("video__name", "pk")
        ],
        list(dict.fromkeys(note for chunk in notes for note in chunk)),
    )
