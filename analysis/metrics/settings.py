"""Every choice that changes a metric's numbers. What is chosen ends up in the signature.

A setting says here, once, what it is called on pages, what it does and what it may be; commands and
forms are made from that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, Final, TypeVar

from analysis.metrics.encoding.sampling import Sampling

Value = TypeVar("Value", str, int, float, bool)

_FRAMES: Final = {
    "uniform:16": "16, evenly spread",
    "uniform:8": "8, evenly spread",
    "fps:1": "One per second",
    "all": "Every frame",
}
_IDF: Final = {
    "authors": "As EMScore’s code: log((N+1)/(c+1)), [EOS] the mean",
    "paper": "As EMScore’s paper: −log(c/N)",
    "factvc": "As FactVC’s code: [SOS] and [EOS] weigh nothing",
    "none": "All alike",
}


def setting(
    default: Value, label: str, help_text: str = "", offered: Mapping[str, str] | None = None
) -> Value:
    """A field of `Settings`, with its words for people.

    Parameters
    ----------
    offered : values to choose from and what each means; those of frames are examples, all others
        the only ones there are
    """
    about = {"label": label, "help_text": help_text, "offered": dict(offered or {})}
    found: Value = field(default=default, metadata=about)
    return found


@dataclass(frozen=True)
class Settings:
    """The parameters of all metrics, with the papers' values as defaults."""

    tokenize: str = setting(
        "ptb",
        "Words of text metrics",
        "Penn Treebank as in pycocoevalcap, or the caption cut at blanks.",
        {"ptb": "Penn Treebank", "none": "Cut at blanks"},
    )
    paragraphs: str = setting(
        "whole",
        "Captions of several sentences",
        "A model reads only a limited number of tokens (CLIP: 77). Sentence by sentence, each "
        "sentence is scored separately and the caption gets the mean.",
        {"whole": "Read whole", "sentences": "Sentence by sentence"},
    )
    bertscore_layer: int = setting(
        -1, "Layer for BERTScore", "Hidden layer whose token vectors are matched; -1 is the last."
    )
    bertscore_idf: bool = setting(
        False, "Rare tokens weigh more in BERTScore", "Rarity is counted in the corpus."
    )
    learned_references: str = setting(
        "together",
        "Several references in learned metrics",
        "All at once, or one by one with the mean of the predictions as in bertha-2022.",
        {"together": "All at once", "mean": "Mean of predictions"},
    )
    frames: str = setting(
        "uniform:16", "Frames of a video", "In commands uniform:N, fps:R, middle or all.", _FRAMES
    )
    idf: str = setting("authors", "Weights of tokens in EMScore", "", _IDF)
    emscore_references: str = setting(
        "each",
        "Several references in EMScore and FactVC",
        "The best P, R, F and c each as in the authors’ code, or the best score as in the paper.",
        {"each": "Best of each part", "whole": "Best score"},
    )
    factvc_alpha: float = setting(
        0.75, "α of FactVC", "Weight of the precision against the coarse similarity, 0 to 1."
    )
    factvc_idf: str = setting(
        "factvc", "Weights of tokens in FactVC", "The paper’s formula weighs all alike.", _IDF
    )
    factvc_frames: str = setting(
        "fps:1", "Frames for FactVC", "Its authors take one per second.", _FRAMES
    )
    neighbours: int = setting(5, "Frames taken by clip_knn", "Those nearest the caption.")
    clusters: int = setting(5, "Frames taken by clip_kmeans", "One for each centre.")
    clip_weight: float = setting(2.5, "Factor of CLIPScore")
    clip_prompt: str = setting(
        "A photo depicts", "Words before every text in CLIPScore", "As in its authors’ code."
    )

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                value = getattr(self, name)
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
        Sampling.parse(self.frames)
        Sampling.parse(self.factvc_frames)
        if self.neighbours < 1 or self.clusters < 1:
            raise ValueError("neighbours and clusters must be at least 1")
        if not 0 <= self.factvc_alpha <= 1:
            raise ValueError(f"factvc_alpha must lie between 0 and 1, not {self.factvc_alpha}")


SETTINGS: Final[Mapping[str, Field[Any]]] = {each.name: each for each in fields(Settings)}
CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    name: tuple(each.metadata["offered"])
    for name, each in SETTINGS.items()
    if each.metadata["offered"] and not name.endswith("frames")
}
