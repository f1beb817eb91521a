"""A reason for a rejection that the person can read, proposed from the flags on their work. Pure.

A flag asks an organiser to look; a reason tells somebody what they did. So a reason needs more than
its flag: the numbers have to bear out every word of it. Quality control is none: that a test was
not significant is no fault of the person's, and crowds accept it as no reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Work = Mapping[str, Any]
"""A row of `analysis.results.listings.annotators_listing`, its flags a list."""
FAR_APART: Final = 20
"""Points between two scores of the same caption."""


@dataclass(frozen=True)
class Reason:
    """What the person reads, and what must be true of their work besides the flag."""

    text: str
    holds: Callable[[Work], bool] = lambda _: True


REASONS: Final = {
    "scores": Reason(
        "captions that were changed to be wrong got, on average, scores as high as before the "
        "change",
        lambda work: work["degraded"] >= work["original"],
    ),
    "time": Reason("less than three seconds per caption were spent on a task"),
    "constant": Reason("more than eight captions in a row got the same score"),
    "repeats": Reason(
        f"captions that came twice got scores {FAR_APART} points or more apart, on average",
        lambda work: work["repeat_distance"] >= FAR_APART,
    ),
    "unwatched": Reason("a score was given sooner than its video takes to play"),
}
"""By flag of `analysis.presenting.listings.FLAGS`; an earlier rejection is none."""


def proposed_reason(works: Sequence[Work]) -> str:
    """In words that are true of everybody: what all of these people did; empty for nothing.

    >>> proposed_reason([{"flags": ["time", "constant"]}, {"flags": ["constant"]}])
    'We cannot accept this work. In what you did for this study, more than eight captions in a row \
got the same score. If you think that this is a mistake, please write to us.'
    >>> proposed_reason([{"flags": ["time"]}, {"flags": []}])
    ''
    """
    shared = [
        reason.text
        for flag, reason in REASONS.items()
        if works and all(flag in work["flags"] and reason.holds(work) for work in works)
    ]
    if not shared:
        return ""
    return (
        f"We cannot accept this work. In what you did for this study, {'; '.join(shared)}. If you "
        "think that this is a mistake, please write to us."
    )
