"""Every choice of an analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from analysis.stats.quality import Test
from analysis.stats.standardise import Basis
from hits.protocols import Scale, protocol_named

Question = Literal["combined", "score", "fluency"]
Unit = Literal["caption", "annotator"]

QUICK_RATINGS: Final = 200_000
"""Ratings up to which all that the trust section does takes about a second."""
MOST_DRAWS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Settings:
    """Every choice that changes a number, with the protocol's own as the default."""

    test: Test = "t"
    """Of quality control: the paired t-test, or the exact Wilcoxon signed-rank test."""
    alpha: float = 0.05
    """Level of the tests between systems."""
    quality_alpha: float = 0.05
    """Level of quality control: who passes does not change with the level of the other tests."""
    minimum_pairs: int = 0
    """Pairs a campaign asks for before it decides about a person, if more than the test needs."""
    keep_all_annotators: bool = False
    """Rank with everybody's ratings, not only with those of annotators who passed."""
    basis: Basis = "all"
    """Ratings over which an annotator's mean and standard deviation are taken."""
    question: Question = "combined"
    """With a fluency question: the mean of both z scores, or one of them alone."""
    resample: Unit = "caption"
    draws: int = 1000
    confidence: float = 0.95
    seed: int = 7
    left_out: tuple[str, ...] = ()
    """Systems that are not ranked, such as all runs of a team but its primary one."""
    planned_captions: int | None = None
    """Captions of each system the campaign set out to have rated, if more than there are now: what
    the stopping rule is laid out for, so it must not follow the ratings as they come in."""
    protocol: str = "direct"
    """What people were asked: it says on which scale they answered."""
    thorough: bool = False
    """Assess how far to trust the ranking however many ratings there are."""

    def __post_init__(self) -> None:
        if not 1 <= self.draws <= MOST_DRAWS:
            raise ValueError(f"draws must be at least 1 and at most {MOST_DRAWS:,}")
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, not {self.seed}")
        if self.planned_captions is not None and self.planned_captions < 1:
            raise ValueError(f"planned_captions must be at least 1, not {self.planned_captions}")
        protocol_named(self.protocol).scale  # noqa: B018 - or the protocol refuses to rank
        for name, known in (("question", get_args(Question)), ("resample", get_args(Unit))):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}")

    @property
    def scale(self) -> Scale:
        return protocol_named(self.protocol).scale

    def wants_trust(self, ratings: int) -> bool:
        """Whether the results of so many ratings include how far to trust them."""
        return self.thorough or ratings <= QUICK_RATINGS
