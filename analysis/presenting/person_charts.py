"""Charts of one annotator's work. Pure; the table of each chart holds the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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
        "Score of each caption in the order they were rated; larger took longer.", 240
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
