"""Similarities of a caption with frames of its video, pooled in several ways; CLIPScore."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.embedding import Texts
from analysis.metrics.encoding.encoder import IMAGE_TEXT, Encoder
from analysis.metrics.matching import best
from analysis.metrics.registry import Family, Need
from analysis.metrics.settings import Settings
from analysis.metrics.vision import POOLS, pooled_cosines, reference_cosines, video_cosines

_MEASURES = {
    "mean": "mean cosine of the caption with the frames",
    "max": "largest cosine of the caption with a frame",
    "min": "smallest cosine of the caption with a frame",
    "knn": "mean cosine with the frames nearest the caption",
    "kmeans": "mean cosine with the frames nearest the centres of k-means",
}
_MIDDLE = "middle"
_LEBRON = "Lebron et al. 2022, Evaluation of video captions using vision and language models"
_HESSEL = "Hessel et al. 2021, CLIPScore: a reference-free evaluation metric for image captioning"


def _image(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    return {"clip_image": context.remember(_middle_cosines, batch, settings)}


def _image_with_references(
    batch: Batch, settings: Settings, context: ScoringContext
) -> Mapping[str, Values]:
    nearest = best(reference_cosines(batch, _texts(context)))
    return {"clip_image+ref": context.remember(_middle_cosines, batch, settings) + nearest}


def _middle_cosines(batch: Batch, settings: Settings, encoder: Encoder) -> Values:
    """The true middle frame, whichever frames other metrics look at (equation 1)."""
    return video_cosines(batch, replace(settings, frames=_MIDDLE), encoder, batch.captions)


def _pooled(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    pooled = context.remember(pooled_cosines, batch, settings)
    return {f"clip_{pool}": pooled[pool] for pool in POOLS}


def _pooled_with_references(
    batch: Batch, settings: Settings, context: ScoringContext
) -> Mapping[str, Values]:
    """The caption's largest cosine with a reference is added (equation 2)."""
    nearest = best(reference_cosines(batch, _texts(context)))
    pooled = context.remember(pooled_cosines, batch, settings)
    return {f"clip_{pool}+ref": pooled[pool] + nearest for pool in POOLS}


def _clipscore(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    return {"clipscore": context.remember(_clip_s, batch, settings)}


def _refclipscore(
    batch: Batch, settings: Settings, context: ScoringContext
) -> Mapping[str, Values]:
    """Harmonic mean of CLIPScore and the nearest reference, neither below 0 (section 3)."""
    score = context.remember(_clip_s, batch, settings)
    cosines = reference_cosines(batch, _texts(context), lambda text: _prompted(text, settings))
    nearest = np.maximum(best(cosines), 0)
    with np.errstate(invalid="ignore"):
        harmonic = 2 * score * nearest / (score + nearest)
    return {"refclipscore": np.where(score + nearest == 0, 0.0, harmonic)}


def _clip_s(batch: Batch, settings: Settings, encoder: Encoder) -> Values:
    texts = [_prompted(text, settings) for text in batch.captions]
    return settings.clip_weight * np.maximum(video_cosines(batch, settings, encoder, texts), 0)


def _texts(context: ScoringContext) -> Texts:
    encoder: Encoder = context.resource(IMAGE_TEXT.name)
    return encoder.texts


def _prompted(text: str, settings: Settings) -> str:
    return f"{settings.clip_prompt} {text}".strip()


def _prompted_texts(batch: Batch, settings: Settings) -> list[str]:
    return [_prompted(text, settings) for text in batch.texts()]


RESOURCES = (IMAGE_TEXT,)
_SIGHT = frozenset({Need.VIDEO, IMAGE_TEXT.name})
_SUMMARY = "cosine of the caption with the middle frame"

FAMILIES = (
    Family(
        metrics={"clip_image": _SUMMARY},
        paper=_LEBRON,
        needs=_SIGHT,
        settings=("paragraphs",),
        score=_image,
        frames=lambda settings: _MIDDLE,
        version=2,
    ),
    Family(
        metrics={"clip_image+ref": f"{_SUMMARY}, plus that with the nearest reference"},
        paper=_LEBRON,
        needs=_SIGHT | {Need.REFERENCES},
        settings=("paragraphs",),
        score=_image_with_references,
        frames=lambda settings: _MIDDLE,
        version=2,
    ),
    Family(
        metrics={f"clip_{pool}": _MEASURES[pool] for pool in POOLS},
        paper=_LEBRON,
        needs=_SIGHT,
        settings=("neighbours", "clusters", "paragraphs", "frames"),
        score=_pooled,
    ),
    Family(
        metrics={
            f"clip_{pool}+ref": f"{_MEASURES[pool]}, plus that with the nearest reference"
            for pool in POOLS
        },
        paper=_LEBRON,
        needs=_SIGHT | {Need.REFERENCES},
        settings=("neighbours", "clusters", "paragraphs", "frames"),
        score=_pooled_with_references,
    ),
    Family(
        metrics={"clipscore": "2.5 times the cosine of the caption with the video, at least 0"},
        paper=_HESSEL,
        needs=_SIGHT,
        settings=("clip_weight", "clip_prompt", "paragraphs", "frames"),
        score=_clipscore,
        texts=_prompted_texts,
    ),
    Family(
        metrics={"refclipscore": "harmonic mean of CLIPScore and the nearest reference"},
        paper=_HESSEL,
        needs=_SIGHT | {Need.REFERENCES},
        settings=("clip_weight", "clip_prompt", "paragraphs", "frames"),
        score=_refclipscore,
        texts=_prompted_texts,
    ),
)
