"""EMScore: coarse and fine matching of a caption with its video and its references."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.encoder import IMAGE_TEXT
from analysis.metrics.matching import Floats, Match, best
from analysis.metrics.registry import Family, Need, Scorer, with_corpus
from analysis.metrics.settings import Settings
from analysis.metrics.vision import match_with_references, match_with_videos

_PAPER = "Shi et al. 2022, EMScore: coarse- and fine-grained embedding matching"
_PARTS = {
    "_c": "coarse part of EMScore: cosine of the whole",
    "_p": "fine precision of EMScore: the caption's tokens found",
    "_r": "fine recall of EMScore: what the caption covers",
    "_f": "fine part of EMScore: F of precision and recall",
    "": "EMScore: mean of the coarse and the fine part",
}


def emscores(match: Match, rule: str) -> dict[str, Values]:
    """EMScore and its parts of every row (equations 4-10).

    Of several columns (references) the rule ``each`` takes the largest of every part, as the
    authors' code does; ``whole`` takes the parts of the reference with the largest score, as the
    paper says.
    """
    parts = {"_c": match.coarse, "_p": match.precision, "_r": match.recall, "_f": match.f}
    if rule == "whole":
        chosen = _place_of_best((match.coarse + match.f) / 2)
        found = {
            part: np.take_along_axis(values, chosen, 1)[:, 0] for part, values in parts.items()
        }
    else:
        found = {part: best(values) for part, values in parts.items()}
    return found | {"": (found["_c"] + found["_f"]) / 2}


def _place_of_best(values: Floats) -> NDArray[np.intp]:
    places: NDArray[np.intp] = np.where(np.isnan(values), -np.inf, values).argmax(axis=1)
    return places[:, None]


def _named(name: str, parts: Mapping[str, Values]) -> dict[str, Values]:
    return {name + part: values for part, values in parts.items()}


def _video(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    match = context.remember(match_with_videos, batch, settings)
    return _named("emscore", emscores(match, settings.emscore_references))


def _text(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    match = context.remember(match_with_references, batch, settings)
    return _named("emscore_text", emscores(match, settings.emscore_references))


def _both(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    """The mean of the two (equation 11), part by part."""
    video, text = _video(batch, settings, context), _text(batch, settings, context)
    return {
        f"emscore_ref{part}": (video[f"emscore{part}"] + text[f"emscore_text{part}"]) / 2
        for part in _PARTS
    }


def _family(name: str, against: str, needs: set[Need], score: Scorer) -> Family:
    return Family(
        metrics={f"{name}{part}": f"{what}, {against}" for part, what in _PARTS.items()},
        paper=_PAPER,
        needs=frozenset({IMAGE_TEXT.name, *needs}),
        settings=(
            *("idf", "emscore_references", "paragraphs"),
            *(("frames",) if Need.VIDEO in needs else ()),
        ),
        score=score,
        uses_corpus=lambda settings: settings.idf != "none",
        texts=with_corpus,
    )


FAMILIES = (
    _family("emscore", "against the video", {Need.VIDEO}, _video),
    _family("emscore_text", "against the references", {Need.REFERENCES}, _text),
    _family("emscore_ref", "against both", {Need.VIDEO, Need.REFERENCES}, _both),
)
