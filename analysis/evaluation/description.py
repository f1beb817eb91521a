"""A description of data, as a paper has it before it uses them: its tables and sentences.

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
from analysis.presenting.charts import Row
from analysis.presenting.sentences import number
from analysis.reading import RatingsFile
from analysis.results import describing
from analysis.results.describing import EVERYTHING, Texts
from analysis.results.findings.annotators import checked, quality_sentence
from analysis.results.pipeline import Analysis, analyse, counts, unchecked
from analysis.results.registry import Context
from analysis.results.settings import Settings

SUMMARY: Final = (
    "systems", "captions", "words_mean", "reference_sets", "reference_words_mean", "annotators",
    "ratings", "scores", "mean_z", "sd_z",
)  # fmt: skip
TABLES: Final = {
    "summary": SUMMARY,
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
ONCE: Final = Settings(draws=1)
"""Nothing of a description is resampled but the stability curve."""
SET: Final = "set"
"""The column that tells several sets apart."""


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
    data: Data, scorer: Scorer, *, draws: int = 100, settings: Settings = ONCE
) -> tuple[Tables, list[str]]:
    """Rows of every table, and what they say in a few lines; ``scorer`` tells how alike captions
    are, by its one metric, ``settings`` whose ratings count."""
    found: Tables = {name: [] for name in TABLES}
    said: list[str] = []
    of_texts: list[str] = []
    _texts(data, found, of_texts, scorer)
    scores = dict(data.scores)
    if data.ratings is not None:
        file, settings = unchecked(data.ratings, settings)
        analysis = analyse(file.ratings, settings, file.evidence)
        scores = _people(analysis, found, said, draws, np.random.default_rng(settings.seed))
    if scores:
        every = np.concatenate(list(scores.values()))
        found["distribution"] = describing.distribution_rows(scores)
        found["levels"] = describing.level_rows(quality_levels(every))
        said.append(f"Caption scores: {len(every):,}, mean z {number(float(every.mean()), 3)}.")
    found["summary"] = [_summary(data, found["texts"], scores)]
    found["cost"] = data.cost
    said += [
        f"Cost {row['what']}: {row['total']:.2f} {row['currency']}, {row['per_system']:.2f} for "
        f"each of {row['systems']} systems."
        for row in data.cost
    ]
    return found, [*said, *of_texts]


def described_sets(
    sets: Mapping[str, Data], scorer: Scorer, *, draws: int = 100, settings: Settings = ONCE
) -> tuple[Tables, list[str]]:
    """Several sets in the same tables, with a column that names the set."""
    every: Tables = {name: [] for name in TABLES}
    said: list[str] = []
    for name, data in sets.items():
        found, sentences = described(data, scorer, draws=draws, settings=settings)
        said += [f"{name}: {sentence}" for sentence in sentences]
        for table, rows in found.items():
            every[table] += [{SET: name, **row} for row in rows]
    return every, said


def _summary(data: Data, texts: list[Row], scores: Mapping[str, NDArray[np.float64]]) -> Row:
    """The line a paper has of its data (bertha-2022 §3)."""
    own = {
        role: [row for row in texts if row["role"] == role and row["source"] != EVERYTHING]
        for role in ("system", "reference")
    }
    every = np.concatenate([*scores.values(), np.empty(0)])
    ratings = data.ratings.ratings if data.ratings else None
    return {
        "systems": len(own["system"]) or len(scores),
        "captions": sum(row["captions"] for row in own["system"]),
        "words_mean": _words(own["system"]),
        "reference_sets": len(own["reference"]),
        "reference_words_mean": _words(own["reference"]),
        "annotators": len(ratings.annotators) if ratings else 0,
        "ratings": len(ratings) if ratings else 0,
        "scores": len(every),
        "mean_z": float(every.mean()) if len(every) else np.nan,
        "sd_z": float(every.std(ddof=1)) if len(every) > 1 else np.nan,
    }


def _words(rows: list[Row]) -> float:
    captions = sum(row["captions"] for row in rows)
    total = sum(row["captions"] * row["words_mean"] for row in rows)
    return total / captions if captions else np.nan


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
            f"{row['duplicates']:,} repeated texts."
            for row in sorted(rows, key=lambda row: row["source"] != EVERYTHING)
        ]
        listed = sum(row["role"] == role for row in found["generic"])
        if listed:
            said.append(f"{listed:,} {role} captions are very short or generic: check them.")
        alike, curves = describing.similarity_rows(role, sources, similarity)
        found["similarity"] += alike
        found["similarity_curves"] += curves
        said += [
            f"{row['first']} and {row['second']} ({role}): {metric} {number(row['mean'], 3)} on "
            f"average, median {number(row['median'], 3)}."
            for row in alike
            if row["second"] != EVERYTHING
        ]
    found["similarity"] += describing.across_rows(data.systems, data.references, similarity)


def _people(
    analysis: Analysis, found: Tables, said: list[str], draws: int, rng: np.random.Generator
) -> dict[str, NDArray[np.float64]]:
    found["people"] = describing.people_rows(analysis)
    found["stability"] = describing.stability_rows(analysis, rng=rng, draws=draws)
    said += [_checked(analysis), describing.repeats_sentence(analysis)]
    said += _stable([row for row in found["stability"] if row["level"] == "caption"])
    captions = analysis.captions
    return {
        analysis.ratings.systems[code]: captions.z[captions.system == code]
        for code in analysis.ranking.order.tolist()
    }


def _stable(rows: list[Row]) -> list[str]:
    """What one rating of a caption is worth, and as many as every caption can spare."""
    if not rows:
        return []
    first, last = rows[0], [row for row in rows if row["units"] == rows[0]["units"]][-1]
    more = f"; the mean of {last['ratings']} at r = {number(last['with_rest'], 3)}"
    return [
        f"One rating of a caption correlates with the mean of the others at r = "
        f"{number(first['with_rest'], 3)}{more if last is not first else ''}, over "
        f"{first['units']:,} captions."
    ]


def _checked(analysis: Analysis) -> str:
    context = Context(analysis.settings, counts(analysis))
    return quality_sentence(checked(analysis), context)
