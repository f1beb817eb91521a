"""FactVC: the two projections of an image–text model, trained against errors made by rule.

factvc-2023 §4. Only the projections learn, so that the towers run once over everything. Imports
torch: imported late.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from analysis.learning.image_text import Lessons, Pupil
from analysis.learning.schooling import Schooling
from analysis.learning.transformations import make_triples


def triple_lessons(
    pupil: Pupil,
    training: Mapping[str, Sequence[str]],
    schooling: Schooling,
    seed: int,
    paraphrases: Mapping[str, Sequence[str]],
    concepts: Mapping[str, str] | None = None,
) -> Lessons:
    """Triples of a video, a text that is true of it, and the same text with an error.

    Parameters
    ----------
    training : the references of the videos to learn from
    paraphrases : of references, which stay true
    concepts : the super-category of nouns, within which objects are swapped
    """
    rng = np.random.default_rng([seed, 5])
    triples = make_triples(
        training, rng, paraphrases=paraphrases, most=schooling.most, concepts=concepts
    )
    if len(triples) < 2:
        raise ValueError("fewer than two errors can be made of these references: bring more")
    cached = _cached(pupil, triples)
    image, text = _projection_of(pupil.model.visual), _text_projection_of(pupil.model)
    scale = pupil.model.logit_scale.detach().exp()
    batches = -(-len(triples) // schooling.batch)

    def loss(step: int) -> Tensor:
        epoch, at = divmod(step, batches)
        order = np.random.default_rng([seed, 5, epoch]).permutation(len(triples))
        whole = order[at * schooling.batch : (at + 1) * schooling.batch].tolist()
        rows = torch.as_tensor(pupil.own(whole))
        videos = image.of(cached.frames[cached.video[rows]]).mean(dim=1)
        true, false = (normalize(text.of(part[rows]), dim=1) for part in cached.texts)
        return factvc_loss(
            normalize(videos, dim=1),
            true,
            false,
            scale,
            fine_weight=schooling.fine_weight,
            margin=schooling.margin,
            losses=schooling.losses,
        )

    return Lessons([image.weight, text.weight], batches, loss)


def factvc_loss(
    videos: Tensor,
    true: Tensor,
    false: Tensor,
    scale: Tensor,
    *,
    fine_weight: float,
    margin: float,
    losses: str = "both",
) -> Tensor:
    """L_coarse + λ L_fine of factvc-2023, each a mean over the batch; or one of them alone.

    Coarse: the true text of a video among those of the batch, by cross-entropy. Fine: the true text
    must beat its own error by the margin. Cosines carry CLIP's scale, for which M = 5 is made.
    """
    s = scale * videos @ true.T
    wrong = (scale * videos * false).sum(dim=1)
    coarse = cross_entropy(s, torch.arange(len(s), device=s.device))
    fine = (margin - s.diagonal() + wrong).clamp(min=0).mean()
    if losses != "both":
        return coarse if losses == "coarse" else fine
    return coarse + fine_weight * fine


@dataclass(frozen=True)
class _Cached:
    """What comes out of the towers before the projections."""

    frames: Tensor
    video: Tensor
    texts: tuple[Tensor, Tensor]


@torch.no_grad()
def _cached(pupil: Pupil, triples: Sequence[Any]) -> _Cached:
    pupil.model.eval()
    videos = sorted({one.video for one in triples})
    number = {video: at for at, video in enumerate(videos)}
    shown = min(len(pupil.pictures[video]) for video in videos)
    with _without_projections(pupil.model):
        frames = torch.stack([pupil.images(pupil.pictures[video][:shown]) for video in videos])
        said = list(dict.fromkeys(t for one in triples for t in (one.true, one.false.text)))
        places = {text: at for at, text in enumerate(said)}
        vectors = pupil.texts(said)
    return _Cached(
        frames,
        torch.tensor([number[one.video] for one in triples]),
        (
            vectors[[places[one.true] for one in triples]],
            vectors[[places[one.false.text] for one in triples]],
        ),
    )


@dataclass(frozen=True)
class _Projection:
    """A matrix of the model that is applied last; ResNets keep it the other way round."""

    weight: Tensor
    bias: Tensor | None = None
    transposed: bool = False

    def of(self, features: Tensor) -> Tensor:
        found = features @ (self.weight.T if self.transposed else self.weight)
        return found if self.bias is None else found + self.bias


def _projection_of(visual: Any) -> _Projection:
    if getattr(visual, "proj", None) is not None:
        return _Projection(visual.proj)
    if hasattr(visual, "attnpool"):
        linear = visual.attnpool.c_proj
        return _Projection(linear.weight, linear.bias.detach(), transposed=True)
    raise ValueError("this model's image tower has no projection of its own to train")


def _text_projection_of(model: Any) -> _Projection:
    found = getattr(getattr(model, "text", model), "text_projection", None)
    if isinstance(found, nn.Linear):
        return _Projection(found.weight, None if found.bias is None else found.bias.detach(), True)
    if found is None:
        raise ValueError("this model's text tower has no projection of its own to train")
    return _Projection(found)


@contextmanager
def _without_projections(model: Any) -> Iterator[None]:
    """While this lasts, the towers give what their projections get."""
    visual, text = model.visual, getattr(model, "text", model)
    pool = getattr(visual, "attnpool", None)
    kept = getattr(visual, "proj", None), pool and pool.c_proj, text.text_projection
    text.text_projection = None
    if kept[0] is not None:
        visual.proj = None
    elif pool is not None:
        size = pool.c_proj.in_features
        pool.c_proj = nn.Linear(size, size)
        pool.c_proj.weight.data, pool.c_proj.bias.data = torch.eye(size), torch.zeros(size)
    try:
        yield
    finally:
        text.text_projection = kept[2]
        if kept[0] is not None:
            visual.proj = kept[0]
        elif pool is not None:
            pool.c_proj = kept[1]
