"""Marks filled in where a metric that scores words found the lowest ones."""

from __future__ import annotations

import numpy as np

from analysis.evaluation.words import word_scores
from analysis.metrics.batch import sentences_of
from analysis.metrics.encoding.encoder import IMAGE_TEXT, Encoder
from analysis.models import MetricRun
from analysis.selectors.explanations import explained_run
from analysis.services.embedding_store import store_pull
from analysis.services.explanations import scoring_of
from daplatform.errors import DomainError
from hits.models import Campaign
from hits.protocols.filling import FilledMark, runs
from hits.services.filling import marks_fill

Place = tuple[str, str]
NO_RUN = "Have EMScore or FactVC computed first: they say how well each word fits the video."
NO_WORDS = "The store has no word of these captions any more. Have the metric computed again."


def marks_fill_by_metric(*, campaign: Campaign, share: float, label: str = "") -> int:
    """Fill in this share of all words, those that fit their frames least; how many marks that is.

    From the store: nothing is embedded for it. Captions that the model did not read come without.
    """
    run = explained_run(campaign)
    if run is None:
        raise DomainError(NO_RUN)
    if not 0 < share < 1:
        raise DomainError("The share of words must lie between 0 and 1.")
    texts, scores = _word_scores(run)
    known = [score for own in scores.values() for score in own if not np.isnan(score)]
    if not known:
        raise DomainError(NO_WORDS)
    highest = float(np.quantile(known, share))
    return marks_fill(campaign=campaign, marks=_marks(campaign, texts, scores, highest, label))


def _marks(
    campaign: Campaign,
    texts: dict[Place, str],
    scores: dict[Place, list[float]],
    highest: float,
    label: str,
) -> dict[Place, list[FilledMark]]:
    if not campaign.asked.marks:
        raise DomainError("No words are marked in this campaign.")
    asked = campaign.asked.marks[0]
    return {
        place: runs(asked, texts[place], [score <= highest for score in own], label)
        for place, own in scores.items()
    }


def _word_scores(run: MetricRun) -> tuple[dict[Place, str], dict[Place, list[float]]]:
    """Of each caption that is in the store: its words, and a score of each of them."""
    job, context, chosen = scoring_of(run)
    encoder: Encoder = context.resource(IMAGE_TEXT.name)
    frames, batch, named = encoder.frames(chosen.frames), job.material.batch, job.material.captions
    store_pull(encoder.spaces)
    texts: dict[Place, str] = {}
    scores: dict[Place, list[float]] = {}
    for video, system, text in zip(named.videos, named.systems, named.texts, strict=True):
        parts = sentences_of(text) if chosen.paragraphs == "sentences" else [text]
        file = batch.files.get(video)
        if file is None or frames.missing([file]) or encoder.texts.missing(parts):
            continue
        if own := word_scores(text, parts, file, encoder, chosen.frames):
            texts[video, system], scores[video, system] = text, own
    return texts, scores
