"""What has come of the runs of a campaign: by system, as a table, and as `score` writes it."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from django.core.cache import cache
from django.db.models import Avg, Count, Q

from analysis.metrics.batch import Span
from analysis.metrics.files import write_scores
from analysis.metrics.parts import Whole
from analysis.metrics.registry import families, families_of
from analysis.metrics.scoring import Fault, Scores, column, merged, metric_of
from analysis.models import MetricChunk, MetricFault, MetricRun, MetricScore
from analysis.selectors.metric_material import Material, run_material
from daplatform.tables.formulas import defused
from hits.models import Campaign

DAY = 24 * 60 * 60  # seconds
Means = dict[tuple[str, str], tuple[float, int]]
"""By metric and system: the mean, and over how many captions."""


def metric_sources(campaign: Campaign) -> dict[str, MetricRun]:
    """For each metric, and each label it was scored under, the last of the chosen runs that did.

    The keys are names of columns: the metric, and behind an @ the label of the run.
    """
    return sources_among(runs_done(campaign))


def sources_among(runs: Iterable[MetricRun]) -> dict[str, MetricRun]:
    """What `metric_sources` gives, of runs that come newest first."""
    sources: dict[str, MetricRun] = {}
    for run in runs:
        for metric in run.metrics if run.is_chosen else ():
            sources.setdefault(column(metric, run.label), run)
    return {name: sources[name] for name in in_order(sources)}


def runs_done(campaign: Campaign) -> list[MetricRun]:
    """Newest first."""
    done = campaign.metric_runs.filter(status=MetricRun.Status.DONE)
    return list(done.select_related("corpus").defer("corpus__references").order_by("-pk"))


def in_order(columns: Iterable[str]) -> list[str]:
    """Columns as `manage.py score` writes them, and those of one metric by their labels."""
    named = list(columns)
    families = families_of([metric_of(name) for name in named]).values()
    place = {metric: number for number, metric in enumerate(chain.from_iterable(families))}
    return sorted(named, key=lambda name: (place[metric_of(name)], name))


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
    notes: list[str]
    runs: list[MetricRun]

    @property
    def means(self) -> list[dict[str, Any]]:
        """A row for every metric and system that has a mean."""
        return [
            {"metric": row.metric, "system": system, "mean": cell.mean}
            for row in self.rows
            for system, cell in zip(self.systems, row.cells, strict=True)
            if cell.mean is not None
        ]


def metric_table(campaign: Campaign) -> Table | None:
    """The means, in five queries whatever the size; None before anything was scored."""
    runs = runs_done(campaign)
    if not runs:
        return None
    sources = sources_among(runs)
    means = _means(sources)
    systems = sorted({system for _, system in means})
    signatures = metric_signatures(sources)
    summaries = {name: text for family in families() for name, text in family.metrics.items()}
    return Table(
        systems,
        [
            Row(
                name,
                summaries[metric_of(name)],
                signatures.get(name, ""),
                _cells(name, systems, means),
            )
            for metric in summaries
            for name in sources
            if metric_of(name) == metric
        ],
        run_notes(sources.values()),
        runs,
    )


def _of(sources: dict[str, MetricRun]) -> Q:
    """The scores of each metric from its own run only."""
    wanted = Q(pk=None)
    for run in dict.fromkeys(sources.values()):
        names = [metric_of(name) for name, source in sources.items() if source == run]
        wanted |= Q(run=run, metric__in=names)
    return wanted


def _means(sources: dict[str, MetricRun]) -> Means:
    """Added up once: the scores of a run that has ended stay, and a run tried again ends later."""
    runs = sorted((name, run.pk, str(run.finished_at)) for name, run in sources.items())
    if any(run.finished_at is None for run in sources.values()):
        return _means_read(sources)
    key = f"metric-means-{hashlib.sha256(repr(runs).encode()).hexdigest()}"
    return cache.get_or_set(key, lambda: _means_read(sources), DAY) or {}


def _means_read(sources: dict[str, MetricRun]) -> Means:
    rows = MetricScore.objects.filter(_of(sources)).values_list(
        "metric", "run__label", "caption__system__name"
    )
    return {
        (column(metric, label), system): (mean, count)
        for metric, label, system, mean, count in rows.annotate(Avg("value"), Count("pk"))
    }


def _cells(metric: str, systems: list[str], means: Means) -> list[Cell]:
    found = [means.get((metric, system), (None, 0)) for system in systems]
    best = max((mean for mean, _ in found if mean is not None), default=None)
    return [Cell(mean, count, mean is not None and mean == best) for mean, count in found]


def metric_signatures(sources: dict[str, MetricRun]) -> dict[str, str]:
    """How the last scores of each metric were made."""
    chunks = MetricChunk.objects.filter(run__in=set(sources.values()))
    return {
        name: signature
        for run_id, label, signatures in chunks.values_list("run_id", "run__label", "signatures")
        for metric, signature in signatures.items()
        if (name := column(metric, label)) in sources and sources[name].pk == run_id
    }


def files_write(campaign: Campaign, folder: Path) -> None:
    """What `manage.py score` writes of everything that was scored, and what it would read.

    scores.csv and scores.csv.json; captions.csv and references.csv, which give the same scores.
    """
    sources = metric_sources(campaign)
    if not sources:
        raise ValueError("campaign: nothing was scored yet")
    material = run_material(max(sources.values(), key=lambda run: run.pk))
    parts, times = material.parts, ("start", "end", "part") if material.clips else ()
    whole = Whole(parts)
    write_scores(folder / "scores.csv", whole.captions, whole.scores(_scores(sources, material)))
    _table_write(
        folder / "captions.csv",
        ("video", "system", "caption", *times),
        (
            (video, system, text, *_told(span, part)[: len(times)])
            for video, system, text, span, part in zip(
                parts.videos, parts.systems, parts.texts, parts.spans, parts.parts, strict=True
            )
        ),
    )
    _table_write(
        folder / "references.csv",
        ("video", "source", "caption", *times[:2]),
        (
            (video, f"reference-{number}", text, *_told(span)[: len(times[:2])])
            for video, named in material.told.items()
            for number, (text, span) in enumerate(named.values(), start=1)
        ),
    )


def _told(span: Span | None, part: str = "") -> tuple[str, str, str]:
    """From when to when, as a file has it."""
    return (f"{span.start:g}", f"{span.end:g}", part) if span else ("", "", "")


def _scores(sources: dict[str, MetricRun], material: Material) -> Scores:
    place = {pk: row for row, pk in enumerate(material.caption_ids)}
    values = {name: np.full(len(place), np.nan) for name in sources}
    rows = MetricScore.objects.filter(_of(sources)).values_list(
        "metric", "run__label", "caption_id", "value"
    )
    for metric, label, caption, value in rows.iterator(10_000):
        if caption in place:
            values[column(metric, label)][place[caption]] = value
    runs = dict.fromkeys(sources.values())
    return Scores(values, metric_signatures(sources), run_faults(runs), run_notes(runs))


def _table_write(path: Path, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([defused(text) for text in row] for row in rows)


def run_notes(runs: Iterable[MetricRun]) -> list[str]:
    """What everybody must know who sees a score of these runs, each note once."""
    chunks = MetricChunk.objects.filter(run__in=set(runs)).order_by("run", "number")
    notes = chunks.values_list("notes", flat=True)
    return list(dict.fromkeys(note for chunk in notes for note in chunk))


def run_faults(runs: Iterable[MetricRun]) -> list[Fault]:
    """What could not be scored in these runs, and why."""
    faults = MetricFault.objects.filter(chunk__run__in=list(runs))
    faults = faults.select_related("video", "chunk__run")
    return merged(
        Fault(
            fault.message,
            fault.video.name if fault.video else "",
            tuple(column(name, fault.chunk.run.label) for name in fault.metrics),
        )
        for fault in faults.order_by("video__name", "pk")
    )
