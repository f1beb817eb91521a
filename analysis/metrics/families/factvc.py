"""FactVC: how free of errors a caption is; EMScore with precision above the coarse part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.encoder import IMAGE_TEXT
from analysis.metrics.matching import Floats, Match, best
from analysis.metrics.registry import Family, Need, Scorer, with_corpus
from analysis.metrics.settings import Settings
from analysis.metrics.vision import match_with_references, match_with_videos

_PAPER = "Liu & Wan 2023, Models see hallucinations: evaluating the factuality in video captioning"


def factvc(match: Match, alpha: float, rule: str) -> Values:
    """(1 - α) S_c + α P of every row (equation 5), the best over the references by the rule."""
    return _weighed(match.coarse, match.precision, alpha, rule)


def factvc_f(match: Match, alpha: float, rule: str) -> Values:
    """The same with F in place of P (Table 7): what the caption leaves out counts as well."""
    return _weighed(match.coarse, match.f, alpha, rule)


def _weighed(coarse: Floats, fine: Floats, alpha: float, rule: str) -> Values:
    if rule == "whole":
        return best((1 - alpha) * coarse + alpha * fine)
    return (1 - alpha) * best(coarse) + alpha * best(fine)


def _video(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    match = context.remember(match_with_videos, batch, own_settings(settings))
    return _both_ways("factvc", match, settings)


def _text(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    match = context.remember(match_with_references, batch, own_settings(settings))
    return _both_ways("factvc_text", match, settings)


def _both_ways(name: str, match: Match, settings: Settings) -> dict[str, Values]:
    how = settings.factvc_alpha, settings.emscore_references
    return {name: factvc(match, *how), f"{name}_f": factvc_f(match, *how)}


def own_settings(settings: Settings) -> Settings:
    """FactVC weighs tokens and chooses frames otherwise than EMScore."""
    return replace(settings, idf=settings.factvc_idf, frames=settings.factvc_frames)


def _both(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    video, text = _video(batch, settings, context), _text(batch, settings, context)
    return {
        f"factvc_both{part}": (video[f"factvc{part}"] + text[f"factvc_text{part}"]) / 2
        for part in ("", "_f")
    }


def _family(name: str, against: str, needs: set[Need], score: Scorer) -> Family:
    return Family(
        metrics={
            name: f"coarse similarity and fine precision, {against}",
            f"{name}_f": f"coarse similarity and fine F, {against}",
        },
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
