"""Every choice that changes a number when metrics are held against people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from analysis.results.settings import Settings as Rules
from analysis.stats.outliers import Direction

Split = Literal["folds", "videos", "systems", "holdout"]
MOST_DRAWS: Final = 100_000
UNSEEN: Final = "unseen"


@dataclass(frozen=True, slots=True)
class Settings:
    """The protocol's choices as defaults."""

    alpha: float = 0.05
    """Level of every test between metrics."""
    draws: int = 1_000
    """Of the bootstrap; the permutation test draws as many as its comparisons need, if more."""
    placebo: int = 1_000
    """How often as many captions as the filter removes are removed at random; 0 for never: with
    many captions and metrics it takes longer than all the rest."""
    confidence: float = 0.95
    factor: float = 4.0
    """A caption is an outlier when its Cook's distance exceeds so many times the mean."""
    direction: Direction = "human_on_metric"
    """What is regressed on what for Cook's distance."""
    split: Split = "folds"
    """How fusion is tried on captions it has not seen: ten folds by video, 80/20 by video, or leave
    one video or system out."""
    ridge: float = 0.0
    seed: int = 7

    def __post_init__(self) -> None:
        if not 1 <= self.draws <= MOST_DRAWS:
            raise ValueError(f"draws must be at least 1 and at most {MOST_DRAWS:,}")
        if not 0 <= self.placebo <= MOST_DRAWS:
            raise ValueError(f"placebo must not be negative, and at most {MOST_DRAWS:,}")
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, not {self.seed}")
        if not (0 < self.alpha < 1 and 0 < self.confidence < 1):
            raise ValueError("alpha and confidence must lie between 0 and 1")
        if self.factor <= 0:
            raise ValueError(f"factor must be above 0, not {self.factor}")
        if self.ridge < 0:
            raise ValueError(f"ridge must not be negative, not {self.ridge}")
        for name, known in (("direction", Direction), ("split", Split)):
            if getattr(self, name) not in get_args(known):
                raise ValueError(f"{name} must be one of {', '.join(get_args(known))}")


DEFAULTS: Final = Settings()


@dataclass(frozen=True)
class Choices:
    """What an analyst may choose; the rest is as `manage.py correlate` has it."""

    annotators: str = "passed"
    alpha: float = DEFAULTS.alpha
    """Of the tests between metrics."""
    quality_alpha: float = Rules().quality_alpha
    """Of quality control, which decides whose ratings count."""
    min_pairs: int | None = None
    """That quality control needs; None for what the campaign asks for."""
    direction: Direction = DEFAULTS.direction
    checks: str = ""
    """``all``: metrics are computed again from shuffled captions, fewer references and foils."""
    learned: str = ""
    """``unseen``: metrics that learned from some captions are compared on the others; by default
    they are left out."""
    sets: tuple[str, ...] = ()
    """Further campaigns, by slug: metrics are held against the people of each."""
    left_out: tuple[str, ...] = ()
    """Of those and this one: what does not count in the mean over sets."""
