"""METEOR as a metric of the platform."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.metrics.batch import Batch, Values
from analysis.metrics.meteor.files import digest, find_files
from analysis.metrics.registry import Family, MetricUnavailable, Need
from analysis.metrics.settings import Settings
from analysis.metrics.workbench import Workbench


def _score(batch: Batch, settings: Settings, bench: Workbench) -> Mapping[str, Values]:
    words = bench.words(batch, settings.tokenize)
    references = [words.references_by_video[video] for video in batch.videos]
    return {"meteor": bench.meteor.score(words.captions, references)}


def _data() -> str:
    """Our own program, and the digest of the lists and paraphrases it reads."""
    try:
        return f"meteor:1.5-python@{digest(find_files())}"
    except MetricUnavailable:
        return ""


FAMILIES = (
    Family(
        metrics={"meteor": "aligned words, stems, synonyms and paraphrases; METEOR 1.5, English"},
        paper="Denkowski & Lavie 2014, Meteor universal",
        needs=frozenset({Need.REFERENCES}),
        settings=("tokenize",),
        score=_score,
        data=_data,
    ),
)
