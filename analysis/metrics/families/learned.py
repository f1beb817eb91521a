"""Metrics learned from people: read from the folder that `manage.py learn` wrote."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.metrics.artifacts import Artifact
from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.sentence_model import SENTENCE
from analysis.metrics.learned.training_list import list_of
from analysis.metrics.registry import Family, MetricUnavailable, Need, metric_libraries
from analysis.metrics.settings import Settings

if TYPE_CHECKING:
    from analysis.metrics.encoding.sentence_model import SentenceModel
    from analysis.metrics.learned.cross_encoder import CrossEncoder
    from analysis.metrics.learned.head import Heads

HEAD: Final = "head"
BERTHA: Final = "bertha"
PAIRS: Final = "bertha_pairs"
WEIGHTS: Final = "model.safetensors"
BACKBONE: Final = "backbone"

Embedder = Callable[[Batch, ScoringContext], "SentenceModel | None"]


def head(artifact: Artifact) -> Family:
    """A small network on text metrics and on embeddings by the sentence model it was trained on."""
    return _family(artifact, lambda batch, context: None)


def bertha(artifact: Artifact) -> Family:
    """The same on embeddings of a model of its own, which lies in its folder."""

    @cache
    def backbone(store: Path, device: str) -> SentenceModel:
        from analysis.metrics.encoding.sentence_model import SentenceModel

        for name in artifact.files:
            artifact.path(name)
        return SentenceModel(artifact.folder / BACKBONE, store, device=device)

    def embedded(batch: Batch, context: ScoringContext) -> SentenceModel:
        config = context.config
        store = config.store if config else Path(tempfile.gettempdir())
        model = backbone(store, context.device)
        model.texts().embed(batch.texts())
        return model

    return _family(artifact, embedded)


def _family(artifact: Artifact, embedder: Embedder) -> Family:
    @cache
    def loaded() -> Heads:
        from analysis.metrics.learned.head import load_heads

        return load_heads(artifact.path(WEIGHTS), artifact.options)

    def score(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
        with metric_libraries():
            from analysis.metrics.learned.features import features
        _same_model(artifact, context.resource(SENTENCE.name).signature)
        own = embedder(batch, context)

        def predict(part: Batch) -> Values:
            return loaded().predict(features(part, context, own))

        if settings.learned_references == "mean":
            return {artifact.name: mean_over_references(batch, predict)}
        return {artifact.name: predict(batch)}

    return Family(
        metrics={artifact.name: artifact.summary},
        paper=artifact.paper,
        needs=frozenset({Need.REFERENCES, SENTENCE.name}),
        settings=("learned_references",),
        score=score,
        uses_corpus=lambda settings: True,
        data=lambda: artifact.signature,
        trained=list_of(artifact),
    )


def pairs(artifact: Artifact) -> Family:
    """Caption and reference read together by a model in its folder; no text metric is needed."""

    @cache
    def loaded(device: str) -> CrossEncoder:
        with metric_libraries():
            from analysis.metrics.learned.cross_encoder import load_cross_encoder
        for name in artifact.files:
            artifact.path(name)
        return load_cross_encoder(artifact.folder / BACKBONE, artifact.path(WEIGHTS), device)

    def score(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
        return {artifact.name: loaded(context.device).score(batch)}

    return Family(
        metrics={artifact.name: artifact.summary},
        paper=artifact.paper,
        needs=frozenset({Need.REFERENCES}),
        settings=(),
        score=score,
        data=lambda: artifact.signature,
        trained=list_of(artifact),
    )


def mean_over_references(batch: Batch, predict: Callable[[Batch], Values]) -> Values:
    """Every reference by itself, then the mean of what is predicted (bertha-2022, eq. 4)."""
    counts = np.array([len(batch.references[video]) for video in batch.videos])
    total = np.zeros(len(batch))
    for at in range(counts.max(initial=0)):
        rows = np.flatnonzero(counts > at)
        part = batch.take(rows)
        told = {video: [batch.references[video][at]] for video in part.videos}
        total[rows] += predict(replace(part, references=told))
    return np.asarray(total / counts)


def _same_model(artifact: Artifact, here: str) -> None:
    """Numbers of another model would be read as if they were those it learned from."""
    trained = str(artifact.options["backbone"])
    if trained != here:
        raise MetricUnavailable(
            f"{artifact.name} was trained beside the sentence model {trained}, and this is {here}: "
            "name that model with --sentence-model, or train the metric again"
        )


ARTIFACTS = {HEAD: head, BERTHA: bertha, PAIRS: pairs}
