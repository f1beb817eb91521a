"""Losses that bring images and their texts together. Imports torch: imported late.

CLIP's is open_clip's own; CLOOB's is written from its paper (Fürst et al. 2022, equations 5 to 8).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import normalize

from analysis.learning.schooling import HOPFIELD_SCALE, INVERSE_TEMPERATURE, Schooling
from analysis.metrics.encoding.torch_models.libraries import open_clip

Loss = Callable[[Tensor, Tensor, Tensor], Tensor]


def info_nce(images: Tensor, texts: Tensor, scale: Tensor) -> Tensor:
    """Cross-entropy of the right pair among all of the batch, both ways (Radford et al. 2021)."""
    found: Tensor = open_clip.ClipLoss()(images, texts, scale)
    return found


def retrieve(stored: Tensor, asking: Tensor, beta: float = HOPFIELD_SCALE) -> Tensor:
    """What a modern Hopfield network with the stored patterns answers, of unit length.

    >>> pattern = torch.eye(2)
    >>> retrieve(pattern, pattern[:1], beta=100.0).round().tolist()
    [[1.0, 0.0]]
    """
    return normalize(torch.softmax(beta * asking @ stored.T, dim=1) @ stored, dim=1)


def info_loob(one: Tensor, other: Tensor, inverse_temperature: float) -> Tensor:
    """InfoLOOB: like InfoNCE, but the right pair is left out of the denominator.

    τ · [−mean k_ii + mean log Σ_{j≠i} exp k_ij], k_ij = ⟨x_i, y_j⟩ / τ. A batch of one has no
    other pair to be told from, and its loss is not defined.
    """
    if len(one) < 2:
        raise ValueError(
            "a batch must hold at least two pairs: one alone has nothing to differ from"
        )
    k = inverse_temperature * one @ other.T
    others = k.masked_fill(torch.eye(len(k), dtype=torch.bool, device=k.device), -torch.inf)
    return (torch.logsumexp(others, dim=1).mean() - k.diagonal().mean()) / inverse_temperature


def cloob_loss(
    images: Tensor,
    texts: Tensor,
    scale: Tensor,
    *,
    beta: float = HOPFIELD_SCALE,
    inverse_temperature: float = INVERSE_TEMPERATURE,
) -> Tensor:
    """InfoLOOB on retrieved patterns: once all retrieved from images, once all from texts.

    ``scale`` is CLIP's learned temperature, which CLOOB does without.
    """
    from_images = retrieve(images, images, beta), retrieve(images, texts, beta)
    from_texts = retrieve(texts, images, beta), retrieve(texts, texts, beta)
    return info_loob(*from_images, inverse_temperature) + info_loob(
        from_texts[1], from_texts[0], inverse_temperature
    )


def loss_of_kind(kind: str, schooling: Schooling) -> Loss:
    """CLIP's, or CLOOB's with the scales that were named."""
    if kind == "clip":
        return info_nce
    return partial(
        cloob_loss,
        beta=schooling.hopfield_scale or HOPFIELD_SCALE,
        inverse_temperature=schooling.inverse_temperature or INVERSE_TEMPERATURE,
    )
