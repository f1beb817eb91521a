"""METEOR as a metric of the platform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.families.meteor.files import Files, digest, find_files
from analysis.metrics.registry import Family, MetricUnavailable, Need, Resource
from analysis.metrics.settings import Settings

if TYPE_CHECKING:
    from analysis.metrics.config import MetricConfig
    from analysis.metrics.families.meteor.scorer import Meteor


def _score(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    words = context.words(batch, settings.tokenize)
    references = [words.references_by_video[video] for video in batch.videos]
    meteor: Meteor = context.resource(METEOR.name)
    return {"meteor": meteor.score(words.captions, references)}


def _data() -> str:
    """Our own program, and the digest of the lists and paraphrases it reads."""
    try:
        return f"meteor:1.5-python@{digest(find_files())}"
    except MetricUnavailable:
        return ""


def _open(found: Files, config: MetricConfig) -> Meteor:
    from analysis.metrics.families.meteor.scorer import Meteor  # web processes have no stemmer

    return Meteor.open(config.store)


METEOR = Resource(
    name="meteor",
    title="METEOR data",
    find=lambda config: find_files(),
    open=_open,
    packages=("snowballstemmer",),
    quick=True,
)
RESOURCES = (METEOR,)
FAMILIES = (
    Family(
        metrics={"meteor": "aligned words, stems, synonyms and paraphrases; METEOR 1.5, English"},
        paper="Denkowski & Lavie 2014, Meteor universal",
        needs=frozenset({Need.REFERENCES, METEOR.name}),
        settings=("tokenize",),
        score=_score,
        data=_data,
    ),
)
