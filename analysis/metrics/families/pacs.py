"""PAC-S: CLIPScore with weights that were trained on captions and pictures made for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.encoder import Encoder
from analysis.metrics.encoding.models import ModelChoice, ModelRef, find_model
from analysis.metrics.families.emscore import emscores
from analysis.metrics.matching import best
from analysis.metrics.registry import Family, MetricUnavailable, Need, Resource, with_corpus
from analysis.metrics.settings import Settings
from analysis.metrics.vision import (
    match_with_references,
    match_with_videos,
    reference_cosines,
    video_cosines,
)

if TYPE_CHECKING:
    from analysis.metrics.config import MetricConfig

_PAPER = "Sarto et al. 2023, Positive-augmented contrastive learning for caption evaluation"
WEIGHT: Final = 2.0
PROMPT: Final = "A photo depicts"
ARCHITECTURE: Final = "ViT-B-32-quickgelu"
"""Of the weights that its authors published."""
_HOW = (
    "PAC-S needs its own weights, which are not installed: name them in METRIC_RESOURCES or with "
    f"--resource, pacs=FILE (of {ARCHITECTURE}) or pacs=FOLDER (open_clip's)"
)


def harmonic(score: Values, nearest: Values) -> Values:
    """The mean of PAC-S and the nearest reference; 0 where both are.

    >>> harmonic(np.array([0.5, 0.0]), np.array([1.0, 0.0])).round(3).tolist()
    [0.667, 0.0]
    """
    with np.errstate(invalid="ignore"):
        mean = 2 * score * nearest / (score + nearest)
    return np.where(score + nearest == 0, 0.0, mean)


def _pac_s(batch: Batch, settings: Settings, encoder: Encoder) -> Values:
    texts = [_prompted(text) for text in batch.captions]
    return WEIGHT * np.maximum(video_cosines(batch, settings, encoder, texts), 0)


def _video(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    match = context.remember(match_with_videos, batch, settings, PACS.name)
    return {
        "pacs": context.remember(_pac_s, batch, settings, PACS.name),
        "pacs_em": emscores(match, settings.emscore_references)[""],
    }


def _both(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    encoder: Encoder = context.resource(PACS.name)
    nearest = np.maximum(best(reference_cosines(batch, encoder.texts, _prompted)), 0)
    text = context.remember(match_with_references, batch, settings, PACS.name)
    seen = _video(batch, settings, context)
    told = emscores(text, settings.emscore_references)[""]
    return {
        "refpacs": harmonic(seen["pacs"], nearest),
        "refpacs_em": (seen["pacs_em"] + told) / 2,
    }


def _prompted(text: str) -> str:
    return f"{PROMPT} {text}"


def _texts(batch: Batch, settings: Settings) -> list[str]:
    return [*map(_prompted, batch.texts()), *with_corpus(batch, settings)]


def _find(config: MetricConfig) -> ModelRef:
    path = config.path("pacs")
    if path is None or not path.exists():
        raise MetricUnavailable(_HOW)
    return find_model(_choice(path))


def _choice(path: Path) -> ModelChoice:
    return ModelChoice(str(path)) if path.is_dir() else ModelChoice(ARCHITECTURE, str(path))


PACS = Resource(
    name="pacs",
    title="PAC-S model",
    find=_find,
    open=lambda found, config: Encoder(
        found, config.store, device=config.device, dtype=config.dtype
    ),
    packages=("torch", "open_clip"),
    embeds=True,
    sees=True,
)
RESOURCES = (PACS,)
_SETTINGS = ("idf", "emscore_references", "paragraphs", "frames")

FAMILIES = (
    Family(
        metrics={
            "pacs": "2 times the cosine of the caption with the video, at least 0; PAC-S weights",
            "pacs_em": "EMScore with the weights of PAC-S, against the video",
        },
        paper=_PAPER,
        needs=frozenset({Need.VIDEO, PACS.name}),
        settings=_SETTINGS,
        score=_video,
        texts=_texts,
        uses_corpus=lambda settings: settings.idf != "none",
    ),
    Family(
        metrics={
            "refpacs": "harmonic mean of PAC-S and the nearest reference",
            "refpacs_em": "EMScore with the weights of PAC-S, mean of video and references",
        },
        paper=_PAPER,
        needs=frozenset({Need.VIDEO, Need.REFERENCES, PACS.name}),
        settings=_SETTINGS,
        score=_both,
        texts=_texts,
        uses_corpus=lambda settings: settings.idf != "none",
    ),
)
