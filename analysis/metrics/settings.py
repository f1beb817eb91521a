"""Every choice that changes a metric's numbers. What is chosen ends up in the signature."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

CHOICES: Final = {
    "tokenize": ("ptb", "none"),
    "idf": ("authors", "paper", "factvc", "none"),
    "emscore_references": ("each", "whole"),
}


@dataclass(frozen=True)
class Settings:
    """The parameters of all metrics, with the papers' values as defaults.

    Parameters
    ----------
    tokenize : "ptb" or "none"
        Words of the text metrics: Penn Treebank as in pycocoevalcap, or the caption cut at blanks.
    bertscore_layer : int
        Hidden layer of the sentence model whose token vectors are matched; -1 is the last.
    bertscore_idf : bool
        Weigh BERTScore's tokens by their rarity among the references.
    idf : "authors", "paper", "factvc" or "none"
        Weights of the tokens in EMScore and FactVC: log((N+1)/(c+1)) as EMScore's code computes
        them, -log(c/N) as its paper prints them, as FactVC's code (where [EOS] weighs nothing), or
        all equal.
    emscore_references : "each" or "whole"
        Of several references the best P, R, F and c each (their code), or the best score (paper).
    neighbours, clusters : int
        Frames taken by ``clip_knn`` and by ``clip_kmeans``.
    alpha : float
        FactVC's weight of the precision against the coarse similarity.
    clip_weight, clip_prompt : float, str
        CLIPScore's factor, and the words it puts before every text.
    """

    tokenize: str = "ptb"
    bertscore_layer: int = -1
    bertscore_idf: bool = False
    idf: str = "authors"
    emscore_references: str = "each"
    neighbours: int = 5
    clusters: int = 5
    alpha: float = 0.75
    clip_weight: float = 2.5
    clip_prompt: str = "A photo depicts"

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                value = getattr(self, name)
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
        if self.neighbours < 1 or self.clusters < 1:
            raise ValueError("neighbours and clusters must be at least 1")
        if not 0 <= self.alpha <= 1:
            raise ValueError(f"alpha must lie between 0 and 1, not {self.alpha}")


SETTING_NAMES: Final = tuple(field.name for field in fields(Settings))
