"""A description of data, as a paper has it before it uses them: its tables, sentences, charts.

Captions, references and ratings in; rows out. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation.robustness.drifting import quality_levels
from analysis.evaluation.scoring import Scorer
from analysis.metrics.batch import Batch
from analysis.presenting.charts import (
    STEP,
    Row,
    Spec,
    heat_spec,
    plain_spec,
    quantity,
    without_nan,
)
from analysis.presenting.sentences import number
from analysis.reading import RatingsFile
from analysis.results import describing
from analysis.results.describing import EVERYTHING, Texts
from analysis.results.findings.annotators import checked, quality_sentence
from analysis.results.pipeline import Analysis, analyse, counts, unchecked
from analysis.results.registry import Context
from analysis.results.settings import Settings

TABLES: Final = {
    "texts": describing.TEXTS,
    "generic": describing.GENERIC,
    "similarity": describing.SIMILARITY,
    "similarity_curves": describing.CURVES,
    "people": describing.PEOPLE,
    "stability": describing.STABILITY,
    "distribution": describing.DISTRIBUTION,
    "levels": describing.LEVELS,
    "cost": ("what", "total", "systems", "per_system", "currency"),
}
Tables = dict[str, list[Row]]
DRAWN_CURVES: Final = 8


@dataclass
class Data:
    """What there is to describe."""

    systems: Mapping[str, Texts] = field(default_factory=dict)
    references: Mapping[str, Texts] = field(default_factory=dict)
    ratings: RatingsFile | None = None
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """z scores of captions by system, where the data holds them and no ratings."""
    cost: list[Row] = field(default_factory=list)


def described(
    data: Data, scorer: Scorer, *, draws: int = 100, seed: int = 7
) -> tuple[Tables, list[str]]:
    """Rows of every table, and what they say in a few lines; ``scorer`` tells how alike captions
    are, by its one metric."""
    found: Tables = {name: [] for name in TABLES}
    said: list[str] = []
    _texts(data, found, said, scorer)
    scores = dict(data.scores)
    if data.ratings is not None:
        file, settings = unchecked(data.ratings, Settings(draws=1, seed=seed))
        analysis = analyse(file.ratings, settings, file.evidence)
        scores = _people(analysis, found, said, draws, np.random.default_rng(seed))
    if scores:
        every = np.concatenate(list(scores.values()))
        found["distribution"] = describing.distribution_rows(scores)
        found["levels"] = describing.level_rows(quality_levels(every))
        said.append(f"Caption scores: {len(every):,}, mean z {number(float(every.mean()), 3)}.")
    found["cost"] = data.cost
    said += [
        f"Cost {row['what']}: {row['total']:.2f} {row['currency']}, {row['per_system']:.2f} for "
        f"each of {row['systems']} systems."
        for row in data.cost
    ]
    return found, said


def _texts(data: Data, found: Tables, said: list[str], scorer: Scorer) -> None:
    [metric] = scorer.metrics

    def similarity(one: Texts, other: Texts) -> NDArray[np.float64]:
        videos = [video for video in one if video in other]
        told = {video: [other[video]] for video in videos}
        batch = Batch([one[video] for video in videos], videos, told, told, {})
        return np.asarray(scorer.batch(batch).values[metric], np.float64)

    for role, sources in (("system", data.systems), ("reference", data.references)):
        rows = describing.text_rows(role, sources) if sources else []
        found["texts"] += rows
        found["generic"] += describing.generic_rows(role, sources)
        said += [
            f"{row['source']} ({role}): {row['captions']:,} captions, "
            f"{number(row['words_mean'], 1)} words each, {row['vocabulary']:,} different words, "
            f"{row['duplicates']:,} texts said again."
            for row in rows
        ]
        listed = sum(row["role"] == role for row in found["generic"])
        if listed:
            said.append(f"{listed:,} {role} captions are very short or generic: look at them.")
        alike, curves = describing.similarity_rows(role, sources, similarity)
        found["similarity"] += alike
        found["similarity_curves"] += curves
        said += [
            f"{row['first']} and {row['second']} ({role}): {metric} {number(row['mean'], 3)} on "
            f"average, median {number(row['median'], 3)}."
            for row in alike
            if row["second"] != describing.EVERYTHING
        ]


def _people(
    analysis: Analysis, found: Tables, said: list[str], draws: int, rng: np.random.Generator
) -> dict[str, NDArray[np.float64]]:
    found["people"] = describing.people_rows(analysis)
    found["stability"] = describing.stability_rows(analysis, rng=rng, draws=draws)
    said += [_checked(analysis), describing.repeats_sentence(analysis)]
    said += [
        f"Captions with the mean of {row['ratings']} of their ratings: r = "
        f"{number(row['with_rest'], 3)} with the mean of the rest, over {row['units']:,} captions."
        for row in found["stability"]
        if row["level"] == "caption"
    ]
    captions = analysis.captions
    return {
        analysis.ratings.systems[code]: captions.z[captions.system == code]
        for code in analysis.ranking.order.tolist()
    }


def _checked(analysis: Analysis) -> str:
    context = Context(analysis.settings, counts(analysis))
    return quality_sentence(checked(analysis), context)


def description_charts(found: Tables) -> dict[str, Spec]:
    """Pictures of the tables, by the name of the table each is about; where there is something."""
    drawn = {
        "texts": _words_spec(found["texts"]),
        "similarity": _similarity_spec(found["similarity"]),
        "similarity_curves": _curves_spec(found["similarity_curves"]),
        "distribution": _distribution_spec(found["distribution"]),
        "stability": _stability_spec(found["stability"]),
        "people": _seconds_spec(found["people"]),
    }
    return {name: spec for name, spec in drawn.items() if spec is not None}


def _words_spec(rows: list[Row]) -> Spec | None:
    shown = [row for row in rows if row["source"] != EVERYTHING]
    if not shown:
        return None
    names = [row["source"] for row in shown]
    plain = {"grid": False, "domain": False, "ticks": False, "labelLimit": 200}
    spec = plain_spec("Words per caption of each source, on average.", STEP * len(shown))
    spec |= {"data": {"values": list(map(without_nan, shown))}, "mark": {"type": "bar"}}
    spec["encoding"] = {
        "y": {"field": "source", "type": "nominal", "sort": names, "title": None, "axis": plain},
        "x": quantity("words_mean", "Words per caption"),
        "color": {"field": "role", "type": "nominal", "legend": {"orient": "top", "title": None}},
    }
    return spec


def _similarity_spec(rows: list[Row]) -> Spec | None:
    """Every two sources, and each with all others."""
    defined = [row for row in map(without_nan, rows) if row["mean"] is not None]
    shown = [row for row in defined if row["role"] == "system"] or defined
    if not shown:
        return None
    mean = {(row["first"], row["second"]): row["mean"] for row in shown}
    mean |= {(second, first): value for (first, second), value in mean.items()}
    names = list(dict.fromkeys(one for pair in mean for one in pair if one != EVERYTHING))
    columns = [*names, *([EVERYTHING] if any(EVERYTHING in pair for pair in mean) else [])]
    cells = [(one, [mean.get((one, other), np.nan) for other in columns]) for one in names]
    return heat_spec(cells, columns, "How alike the captions of every two sources are.")


def _curves_spec(rows: list[Row]) -> Spec | None:
    """Videos from the most to the least alike; of many pairs of sources the first are drawn."""
    names = list(dict.fromkeys(f"{row['first']} and {row['second']}" for row in rows))
    drawn = set(names[:DRAWN_CURVES])
    marks = [
        {"pair": pair, "place": row["place"], "similarity": row["similarity"]}
        for row in rows
        if (pair := f"{row['first']} and {row['second']}") in drawn
    ]
    if not marks:
        return None
    step = max(1, len(marks) // 2_000)
    spec = plain_spec("Similarity of two sources, video by video, the most alike first.", 260)
    spec |= {"data": {"values": marks[::step]}, "mark": {"type": "line"}}
    series = {"field": "pair", "type": "nominal", "legend": {"orient": "top", "title": None}}
    spec["encoding"] = {
        "x": quantity("place", "Videos, the most alike first"),
        "y": quantity("similarity", "Similarity"),
        "color": series | {"legend": {"orient": "top", "title": None, "columns": 2}},
        "strokeDash": series,
    }
    return spec


def _distribution_spec(rows: list[Row]) -> Spec | None:
    systems = list(dict.fromkeys(row["system"] for row in rows))
    whole = EVERYTHING if EVERYTHING in systems else (systems or [""])[0]
    shown = [row for row in rows if row["system"] == whole]
    if not shown:
        return None
    spec = plain_spec("How caption scores are distributed.", 220)
    spec |= {"data": {"values": shown}, "mark": {"type": "bar", "binSpacing": 0.5}}
    spec["encoding"] = {
        "x": quantity("from", "z score of the caption"),
        "x2": {"field": "to"},
        "y": quantity("share", "Share of captions") | {"axis": {"format": "%", "tickCount": 5}},
    }
    return spec


def _stability_spec(rows: list[Row]) -> Spec | None:
    if not rows:
        return None
    level = {"field": "level", "type": "nominal", "legend": {"orient": "top", "title": None}}
    x = quantity("ratings", "Ratings of each caption") | {"axis": {"tickMinStep": 1}}
    y = quantity("with_rest", "r with the mean of the rest") | {"scale": {"zero": False}}
    band = {
        "mark": {"type": "area", "opacity": 0.15},
        "encoding": {
            "y": quantity("with_rest_low", y["title"]) | {"scale": {"zero": False}},
            "y2": {"field": "with_rest_high"},
        },
    }
    line = {"mark": {"type": "line", "point": True}, "encoding": {"y": y, "strokeDash": level}}
    spec = plain_spec("How well the mean of so many ratings agrees with the rest.", 260)
    spec |= {"data": {"values": list(map(without_nan, rows))}, "layer": [band, line]}
    return spec | {"encoding": {"x": x, "color": level}}


def _seconds_spec(rows: list[Row]) -> Spec | None:
    known = [row for row in map(without_nan, rows) if row["seconds_per_caption"] is not None]
    if not known:
        return None
    values = [{"seconds": row["seconds_per_caption"], "passed": row["passed"]} for row in known]
    spec = plain_spec("Seconds per caption of each annotator.", 200)
    spec |= {"data": {"values": values}, "mark": {"type": "bar"}}
    binned = quantity("seconds", "Seconds per caption") | {"bin": {"maxbins": 24}}
    count = {"aggregate": "count", "type": "quantitative", "title": "Annotators"}
    passed = {"field": "passed", "type": "nominal", "legend": {"orient": "top", "title": None}}
    return spec | {"encoding": {"x": binned, "y": count, "color": passed}}
