"""One annotator's work: its charts, and reasons for a rejection proposed from its flags. Pure.

The table of each chart holds the same rows. A flag asks an organiser to look; a reason tells
somebody what they did, so it needs more than its flag: the numbers have to bear out every word of
it. Quality control is none: that a test was not significant is no fault of the person's, and
crowds accept it as no reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from analysis.presenting.charts import (
    BELOW,
    CONTROLS,
    DAMAGED,
    LEVEL_HEADINGS,
    SPREAD_HEADINGS,
    Chart,
    Row,
    between,
    bin_counts,
    diagonal,
    plain_spec,
    quantity,
    spread_rows,
    spread_spec,
)
from hits.protocols import Scale

CAPTIONS: Final = "system captions"
GROUPS: Final = {
    "system": CAPTIONS,
    "repeat": CAPTIONS,
    "reference": CONTROLS,
    "degraded": DAMAGED,
}
RECENT: Final = 300
"""Ratings a timeline shows: more would be a smear, and a page of megabytes."""


def pairs_chart(pairs: Sequence[tuple[int, int]], scale: Scale) -> Chart:
    """Each degraded caption against its original."""
    rows: list[Row] = [
        {"pair": number, "original": original, "degraded": degraded}
        for number, (original, degraded) in enumerate(pairs, start=1)
    ]
    originals, damaged = "Score of the original", "Score of its degraded version"
    points = {
        "data": {"values": rows},
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 0.7},
        "encoding": {
            "x": quantity("original", originals) | between(scale),
            "y": quantity("degraded", damaged) | between(scale),
        },
    }
    spec = plain_spec(BELOW, 300) | {"layer": [diagonal(originals, damaged, scale), points]}
    headings = {"pair": "Pair", "original": "Original", "degraded": "Degraded"}
    return Chart("Degraded against original", spec, headings, rows)


def person_scores_chart(answers: Sequence[tuple[str, int]], scale: Scale) -> Chart:
    """How often each score was given, by kind of caption."""
    kinds = np.array([GROUPS[kind] for kind, _ in answers], dtype=object)
    scores = np.array([score for _, score in answers], np.int16)
    groups = dict.fromkeys(GROUPS.values())
    counts = {group: bin_counts(scores[kinds == group], scale) for group in groups}
    rows = spread_rows(counts, scale)
    headings = LEVEL_HEADINGS if scale.is_ordinal else SPREAD_HEADINGS
    return Chart("Scores given", spread_spec(rows, scale), headings, rows)


def timeline_chart(answers: Sequence[tuple[str, int, float]], scale: Scale) -> Chart:
    """Scores and the time each took, in the order they were given; of many the latest."""
    first = max(len(answers) - RECENT, 0)
    rows: list[Row] = [
        {
            "number": number,
            "group": GROUPS[kind],
            "score": score,
            "seconds": round(seconds, 1),
        }
        for number, (kind, score, seconds) in enumerate(answers[first:], start=first + 1)
    ]
    kind = {"field": "group", "type": "nominal", "legend": {"orient": "top", "title": None}}
    spec = plain_spec(
        "Score of each caption in the order of rating; larger marks took longer.", 240
    )
    spec |= {
        "data": {"values": rows},
        "mark": {"type": "point", "opacity": 0.75, "strokeWidth": 1.6},
        "encoding": {
            "x": quantity("number", "Captions in the order they were rated")
            | {"scale": {"zero": False, "nice": False}},
            "y": quantity("score", "Score") | between(scale),
            "color": kind,
            "shape": kind,
            "size": quantity("seconds", "Seconds")
            | {"scale": {"range": [12, 260]}, "legend": {"orient": "top", "tickCount": 3}},
        },
    }
    headings = {"number": "Rating", "group": "Of", "score": "Score", "seconds": "Seconds"}
    return Chart("Timeline", spec, headings, rows)


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
        "captions that had been made wrong got, on average, scores as high as the correct ones",
        lambda work: work["degraded"] >= work["original"],
    ),
    "time": Reason("less than three seconds per caption was spent on a task"),
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
