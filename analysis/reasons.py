"""A reason for a rejection that the person can read, proposed from the flags on their work. Pure.

Quality control is none: that a test was not significant is no fault of the person's, and crowds
accept it as no reason.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

REASONS: Final = {
    "scores": "captions that do not describe the video got scores as high as those that do",
    "time": "a whole task was done in under three seconds a caption",
    "constant": "more than eight captions in a row got the same score",
    "repeats": "captions that came twice got quite different scores the second time",
    "unwatched": "scores were given sooner than the videos take to play",
}
"""What a flag of `analysis.listings.FLAGS` says to the person; an earlier rejection is none."""


def proposed_reason(flags: Sequence[Collection[str]]) -> str:
    """In words that are true of everybody: the flags all of these people share; empty for none.

    >>> proposed_reason([["time", "constant"], ["constant"]])
    'We cannot accept this work: more than eight captions in a row got the same score. If you \
think that this is a mistake, please write to us.'
    >>> proposed_reason([["time"], []])
    ''
    """
    shared = [
        reason for flag, reason in REASONS.items() if flags and all(flag in some for some in flags)
    ]
    if not shared:
        return ""
    return (
        f"We cannot accept this work: {'; '.join(shared)}. If you think that this is a mistake, "
        "please write to us."
    )
