"""FactVC: how free of errors a caption is; EMScore with precision above the coarse part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.encoder import IMAGE_TEXT
from analysis.metrics.matching import Match, best
from analysis.metrics.registry import Family, Need, Scorer, with_corpus
from analysis.metrics.settings import Settings
from analysis.metrics.vision import match_with_references, match_with_videos

_PAPER = "Liu & Wan 2023, Models see hallucinations: evaluating the factuality in video captioning"


def factvc(match: Match, alpha: float, rule: str) -> Values:
    """(1 - α) S_c + α P of every row (equation 5), the best over the references by the rule."""
    if rule == "whole":
        return best((1 - alpha) * match.coarse + alpha * match.precision)
    return (1 - alpha) * best(match.coarse) + alpha * best(match.precision)


def _video(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    match = context.remember(match_with_videos, batch, own_settings(settings))
    return {"factvc": factvc(match, settings.factvc_alpha, settings.emscore_references)}


def _text(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    match = context.remember(match_with_references, batch, own_settings(settings))
    return {"factvc_text": factvc(match, settings.factvc_alpha, settings.emscore_references)}


def own_settings(settings: Settings) -> Settings:
    """FactVC weighs tokens and chooses frames otherwise than EMScore."""
    return replace(settings, idf=settings.factvc_idf, frames=settings.factvc_frames)


def _both(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    video = _video(batch, settings, context)["factvc"]
    return {"factvc_both": (video + _text(batch, settings, context)["factvc_text"]) / 2}


def _family(name: str, against: str, needs: set[Need], score: Scorer) -> Family:
    return Family(
        metrics={name: f"coarse similarity and fine precision, {against}"},
        paper=_PAPER,
        needs=frozenset({IMAGE_TEXT.name, *needs}),
        settings=(
            *("factvc_alpha", "factvc_idf", "emscore_references", "paragraphs"),
            *(("factvc_frames",) if Need.VIDEO in needs else ()),
        ),
        score=score,
        uses_corpus=lambda settings: settings.factvc_idf != "none",
        texts=with_corpus,
        frames=lambda settings: settings.factvc_frames,
        version=2,
    )


FAMILIES = (
    _family("factvc", "against the video", {Need.VIDEO}, _video),
    _family("factvc_text", "against the references", {Need.REFERENCES}, _text),
    _family("factvc_both", "mean of both", {Need.VIDEO, Need.REFERENCES}, _both),
)
