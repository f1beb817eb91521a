"""Metrics computed here, through the registry, as a table of scores."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from analysis.meta.captions import CaptionSet
from analysis.meta.scores import ScoreTable, score_table
from analysis.metrics.scoring import embed, embeddable, score
from analysis.metrics.settings import Settings
from analysis.metrics.workbench import Workbench


def score_captions(
    captions: CaptionSet,
    metrics: Sequence[str],
    bench: Workbench,
    settings: Settings | None = None,
    sources: Collection[str] | None = None,
) -> ScoreTable:
    """Every metric for every caption, against the references of all sources or of some.

    What cannot be computed is missing, and a note says why.
    """
    settings = settings or Settings()
    batch = captions.batch(sources)
    embed(embeddable(batch, metrics, settings), settings, bench)
    found = score(batch, metrics, settings, bench)
    said = dict.fromkeys([*(str(fault) for fault in found.faults), *found.notes])
    return score_table(
        captions.videos,
        captions.systems,
        found.values,
        texts=captions.texts,
        notes=[*captions.notes, *said],
        source="the captions",
    )
