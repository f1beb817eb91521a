"""How a learned metric does on videos it never saw: numbers as they are kept, and in sentences.

Pages import this: no library that only workers have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isnan, nan
from typing import Any, Final

BASELINE: Final = "sts"
"""What a learned metric has to beat: the cosine of the same model without any learning."""
LEVEL: Final = 0.05
NO_CURVE: Final = (
    "Whether more ratings would help is not shown: a metric of this kind would have to be "
    "fine-tuned again on each part of the ratings, and each time would take nearly as long as the "
    "first."
)
WORTH: Final = 0.01
"""Of r, for twice the ratings."""


@dataclass(frozen=True)
class Compared:
    """A metric on the captions held out; ``p``: the learned one correlates more (Williams)."""

    metric: str
    pearson: float
    spearman: float
    kendall_b: float
    p: float


@dataclass(frozen=True)
class Part:
    """Learned from so many captions, it reaches this r on those held out."""

    share: float
    captions: int
    r: float


@dataclass(frozen=True)
class HeldOut:
    """What a learned metric does on videos it never saw.

    Parameters
    ----------
    trained, dropped : captions learned from, and captions learned from neither because their text,
        or a reference of their video, is held out
    compared : the learned metric first, then text metrics, the best first
    parts : the learning curve; empty for kinds that take too long to be trained several times
    """

    name: str
    captions: int
    videos: int
    trained: int
    dropped: int
    compared: tuple[Compared, ...]
    parts: tuple[Part, ...] = ()

    @property
    def learned(self) -> Compared:
        return self.compared[0]

    @property
    def untrained(self) -> Compared:
        return next(one for one in self.compared if one.metric == BASELINE)

    def lines(self) -> list[str]:
        """A table for the card."""
        return [
            f"{self.captions:,} captions of {self.videos:,} videos held out; {self.trained:,} "
            f"learned from; {self.dropped:,} neither, because they recur among those held out.",
            "",
            "| metric | Pearson's r | Spearman's ρ | Kendall's τ-b | p (Williams) |",
            "|---|---:|---:|---:|---:|",
            *(
                f"| {one.metric} | {one.pearson:.3f} | {one.spearman:.3f} | {one.kendall_b:.3f} | "
                f"{'–' if isnan(one.p) else f'{one.p:.2g}'} |"
                for one in self.compared
            ),
            *(
                ["", "| share of the ratings | captions | r |", "|---:|---:|---:|"]
                * bool(self.parts)
            ),
            *(f"| {part.share:.0%} | {part.captions:,} | {part.r:.3f} |" for part in self.parts),
        ]

    def as_numbers(self) -> dict[str, Any]:
        """Plain numbers; what is not defined is None."""
        found: dict[str, Any] = _plain(asdict(self))
        return found

    @classmethod
    def read(cls, numbers: dict[str, Any]) -> HeldOut:
        # By name: a database may have put the keys into another order.
        rows = [Compared(**_floats(row)) for row in numbers["compared"]]
        parts = [Part(**row) for row in numbers["parts"]]
        return cls(**{**numbers, "compared": tuple(rows), "parts": tuple(parts)})


def _floats(row: dict[str, Any]) -> dict[str, Any]:
    return {key: nan if value is None else value for key, value in row.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and isnan(value) else value


def said(found: HeldOut) -> Sequence[str]:
    """What the numbers mean, in sentences."""
    own, sts = found.learned, found.untrained
    gain = own.pearson - sts.pearson
    sentences = [
        f"On {found.captions:,} captions of {found.videos:,} unseen videos, "
        f"{found.name} reaches r = {own.pearson:.3f} with people. {BASELINE}, which is not "
        f"trained, reaches {sts.pearson:.3f}: {_lead(gain, sts.p)}."
    ]
    return [*sentences, _more(found.parts) if found.parts else NO_CURVE]


def _lead(gain: float, p: float) -> str:
    """
    >>> _lead(0.061, 0.0004)
    'a lead of 0.061 (Williams, p = 0.0004)'
    >>> _lead(0.01, 0.31)
    'a lead of 0.010, which may be chance (Williams, p = 0.31)'
    >>> _lead(-0.02, 0.9)
    'learning did not help'
    """
    if not gain > 0:
        return "learning did not help"
    chance = "" if p < LEVEL else ", which may be chance"
    return f"a lead of {gain:.3f}{chance} (Williams, p = {p:.2g})"


def _more(parts: Sequence[Part]) -> str:
    last, before = parts[-1], parts[-2]
    gain = last.r - before.r
    if gain > WORTH:
        return (
            f"Going from half of the ratings to all of them added {gain:.3f} to r: more ratings "
            "may help further."
        )
    return (
        f"Going from half of the ratings to all of them changed r by {gain:+.3f}: more ratings of "
        "this kind would help little."
    )
