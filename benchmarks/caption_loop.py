"""The peer of scoring from the store: every metric that looks, caption by caption, in torch."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import normalize

from analysis.metrics.settings import Settings

SETTINGS = Settings()


@dataclass(frozen=True)
class Text:
    """Vectors and weights of a text's tokens; the sentence once more with CLIPScore's prompt."""

    tokens: Tensor
    weights: Tensor
    prompted: Tensor

    @property
    def sentence(self) -> Tensor:
        return self.tokens[-1]


def one_caption(caption: Text, frames: Tensor, references: list[Text]) -> dict[str, float]:
    """The formulas of docs/metrics.md, one after the other."""
    video = normalize(frames.mean(dim=0), dim=0)
    nearest = torch.stack([caption.sentence @ other.sentence for other in references]).max()
    pools = pooled(frames @ caption.sentence, frames)
    values = pools | {f"{name}+ref": value + nearest for name, value in pools.items()}
    clip = SETTINGS.clip_weight * (caption.prompted @ video).clamp(min=0)
    likest = torch.stack([caption.prompted @ other.prompted for other in references]).max()
    values |= {"clipscore": clip, "refclipscore": 2 * clip * likest / (clip + likest)}
    seen = matched(caption, frames, torch.ones(len(frames)), video)
    read = [matched(caption, other.tokens, other.weights, other.sentence) for other in references]
    told = {part: torch.stack([one[part] for one in read]).max() for part in seen}
    for parts in (seen, told):
        parts[""] = (parts["_c"] + parts["_f"]) / 2
    both = {part: (seen[part] + told[part]) / 2 for part in seen}
    for name, parts in (("emscore", seen), ("emscore_text", told), ("emscore_ref", both)):
        values |= {f"{name}{part}": value for part, value in parts.items()}
    alpha = SETTINGS.factvc_alpha
    for name, parts in (("factvc", seen), ("factvc_text", told), ("factvc_both", both)):
        values[name] = (1 - alpha) * parts["_c"] + alpha * parts["_p"]
    return {name: float(value) for name, value in values.items()}


def pooled(cosines: Tensor, frames: Tensor) -> dict[str, Tensor]:
    return {
        "clip_mean": cosines.mean(),
        "clip_max": cosines.max(),
        "clip_min": cosines.min(),
        "clip_knn": cosines.topk(SETTINGS.neighbours).values.mean(),
        "clip_kmeans": cosines[representatives(frames, SETTINGS.clusters)].mean(),
    }


def matched(text: Text, targets: Tensor, weights: Tensor, whole: Tensor) -> dict[str, Tensor]:
    similarity = text.tokens @ targets.T
    precision = (similarity.max(dim=1).values * text.weights).sum() / text.weights.sum()
    recall = (similarity.max(dim=0).values * weights).sum() / weights.sum()
    fine = 2 * precision * recall / (precision + recall)
    return {"_c": text.sentence @ whole, "_p": precision, "_r": recall, "_f": fine}


def representatives(frames: Tensor, clusters: int) -> Tensor:
    """k-means as analysis.metrics.vision defines it, for one video."""
    frames = frames.double()  # in single precision rounding would decide the ties
    to_mean = squared(frames, frames.mean(dim=0, keepdim=True))[:, 0]
    chosen = [int(to_mean.argmin())]
    while len(chosen) < clusters:
        chosen.append(int(squared(frames, frames[chosen]).min(dim=1).values.argmax()))
    centres = frames[chosen]
    nearest = squared(frames, centres).argmin(dim=1)
    while True:
        centres = torch.stack([frames[nearest == place].mean(dim=0) for place in range(clusters)])
        moved = squared(frames, centres).argmin(dim=1)
        if (moved == nearest).all():
            break
        nearest = moved
    return (squared(frames, centres) + 1e-4 * to_mean[:, None]).argmin(dim=0)


def squared(frames: Tensor, centres: Tensor) -> Tensor:
    return ((frames[:, None] - centres[None]) ** 2).sum(dim=2)
