"""How good the demo model is: does it find scenes by their captions, and tell good from bad?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.stats import spearmanr

from analysis.metrics.encoding.embedding import Encoders, groups
from analysis.metrics.encoding.embeddings import Embedding
from analysis.metrics.matching import (
    Match,
    Stack,
    Vectors,
    match_video,
    similarities,
    video_vector,
)
from rehearsal.demo_model.examples import Examples

_AT_ONCE = 64


@dataclass(frozen=True)
class Evaluation:
    """Retrieval by source of captions, both ways, and rank correlation with quality.

    Parameters
    ----------
    scene_by_caption, caption_by_scene : how often the right one of all is the nearest
    coarse, fine : Spearman's ρ of ``emscore_c``, and of ``emscore_p`` with all tokens alike
    """

    scene_by_caption: dict[str, float]
    caption_by_scene: dict[str, float]
    coarse: float
    fine: float


def evaluate(encoders: Encoders, examples: Examples, sources: Sequence[str]) -> Evaluation:
    """Among as many scenes as there are, chance is one over that number."""
    frames = _frames(encoders, examples)
    videos = np.stack([video_vector(vectors) for vectors in frames])
    texts = {
        source: encoders.encode_texts([caption.text for caption in told])
        for source, told in examples.captions.items()
    }
    similarity = {s: np.stack([t.vectors[-1] for t in texts[s]]) @ videos.T for s in sources}
    matches = [
        _match(text, frames[row]) for told in texts.values() for row, text in enumerate(told)
    ]
    quality = [caption.quality for told in examples.captions.values() for caption in told]
    return Evaluation(
        {source: _first_is_right(values) for source, values in similarity.items()},
        {source: _first_is_right(values.T) for source, values in similarity.items()},
        float(spearmanr([match.coarse.item() for match in matches], quality).statistic),
        float(spearmanr([match.precision.item() for match in matches], quality).statistic),
    )


def _frames(encoders: Encoders, examples: Examples) -> list[Vectors]:
    scenes, count = examples.pictures.shape[:2]
    flat = examples.pictures.reshape(-1, *examples.pictures.shape[2:])
    vectors = [
        encoders.encode_images([encoders.prepare(Image.fromarray(picture)) for picture in batch])
        for batch in groups(flat, _AT_ONCE)
    ]
    return list(np.concatenate(vectors).reshape(scenes, count, -1))


def _first_is_right(similarity: NDArray[np.float32]) -> float:
    """How often the largest of a row stands on the diagonal."""
    return float((similarity.argmax(axis=1) == np.arange(len(similarity))).mean())


def _match(text: Embedding, frames: Vectors) -> Match:
    stack = Stack.of([text.vectors], [np.ones(len(text.vectors))])
    return match_video(stack, frames, similarities(stack, frames))
