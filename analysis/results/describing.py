"""What a paper says of its data before it uses it: captions, people, scores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations, product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.results.pipeline import Analysis, answers
from analysis.stats.agreement import shared_ratings
from analysis.stats.flags import work_seconds
from analysis.stats.stability import stability_curve

Row = dict[str, Any]
Texts = Mapping[str, str]
"""The caption of each video."""
Similarity = Callable[[Texts, Texts], NDArray[np.float64]]
"""Of two captions of each video, in the order of the videos both have."""

TEXTS: Final = (
    "role", "source", "captions", "words_mean", "words_sd", "words_min", "words_median",
    "words_max", "vocabulary", "duplicates",
)  # fmt: skip
SIMILARITY: Final = ("role", "first", "second", "n", "mean", "median")
CURVES: Final = ("role", "first", "second", "place", "similarity")
GENERIC: Final = ("role", "source", "video", "text", "content_words", "said", "reason")
PEOPLE: Final = (
    "annotator", "ratings", "passed", "repeat_p", "seconds_per_caption", "hours",
)  # fmt: skip
STABILITY: Final = (
    "level", "ratings", "units", "with_rest", "with_rest_low", "with_rest_high", "with_all",
    "with_all_low", "with_all_high",
)  # fmt: skip
DISTRIBUTION: Final = ("system", "from", "to", "captions", "share")
LEVELS: Final = ("drift_set", "level", "captions", "expected")
EVERYTHING: Final = "all"
ACROSS: Final = "system and reference"
FEWEST_CONTENT, MOST_SAID = 3, 5
"""A text with fewer content words, or said of more videos by one source, is listed as generic."""
_FUNCTION_WORDS: Final = """
    a an the this that these those some any there here it its he she they them his her their him
    is are was were be been being am do does did has have had and or but of to in on at by for
    with from into onto over under up down out off as while then very not no i you we who which
    what someone somebody something
"""
FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())
STEP, END = 0.25, 3.0
_WORD = re.compile(r"\w+(?:['’]\w+)*")


def words_of(text: str) -> list[str]:
    """
    >>> words_of("A man's dog, running.")
    ['a', "man's", 'dog', 'running']
    """
    return _WORD.findall(text.lower())


def text_rows(role: str, sources: Mapping[str, Texts]) -> list[Row]:
    """Words, vocabulary and repeated texts of each source, and of all of them together."""
    rows = [_text_row(role, name, list(texts.values())) for name, texts in sources.items()]
    every = [text for texts in sources.values() for text in texts.values()]
    return [*rows, _text_row(role, EVERYTHING, every)] if len(rows) > 1 else rows


def _text_row(role: str, source: str, texts: Sequence[str]) -> Row:
    words = [words_of(text) for text in texts]
    sizes = np.array([float(len(one)) for one in words] or [np.nan], float)
    same = Counter(" ".join(one) for one in words)
    return {
        "role": role,
        "source": source,
        "captions": len(texts),
        "words_mean": float(sizes.mean()),
        "words_sd": float(sizes.std(ddof=1)) if len(sizes) > 1 else np.nan,
        "words_min": float(sizes.min()),
        "words_median": float(np.median(sizes)),
        "words_max": float(sizes.max()),
        "vocabulary": len({word for one in words for word in one}),
        "duplicates": len(texts) - len(same),
    }


def generic_rows(role: str, sources: Mapping[str, Texts]) -> list[Row]:
    """Texts that say little or are said of many videos (direct-assessment-2018 §3 removed such):
    listed for a person to decide, never removed.

    >>> texts = {"v1": "A man is talking.", "v2": "Two dogs chase a ball"}
    >>> [(row["video"], row["reason"]) for row in generic_rows("reference", {"A": texts})]
    [('v1', '2 content words')]
    """
    rows: list[Row] = []
    for source, texts in sources.items():
        said = Counter(" ".join(words_of(text)) for text in texts.values())
        for video, text in texts.items():
            words = words_of(text)
            content, times = len(set(words) - FUNCTION_WORDS), said[" ".join(words)]
            reasons = [f"{content} content word{'' if content == 1 else 's'}"] * (
                content < FEWEST_CONTENT
            ) + [f"said of {times} videos"] * (times > MOST_SAID)
            if reasons:
                rows.append(
                    {"role": role, "source": source, "video": video, "text": text,
                     "content_words": content, "said": times, "reason": ", ".join(reasons)}
                )  # fmt: skip
    return rows


def similarity_rows(
    role: str, sources: Mapping[str, Texts], similarity: Similarity
) -> tuple[list[Row], list[Row]]:
    """Every two sources on the videos both have (direct-assessment-2018, Figs 4 and 5, Table 1).

    Returns the means, with a row `all` for the mean of each source to the others, and the sorted
    curves. Similarity is the mean of both directions, so that it is symmetric.
    """
    rows, curves = [], []
    to_others: dict[str, list[float]] = {name: [] for name in sources}
    for first, second in combinations(sources, 2):
        one, other = sources[first], sources[second]
        if not set(one) & set(other):
            continue
        values = np.sort((similarity(one, other) + similarity(other, one)) / 2)[::-1]
        pair = {"role": role, "first": first, "second": second}
        mean = float(values.mean())
        rows.append(pair | {"n": len(values), "mean": mean, "median": float(np.median(values))})
        curves += [
            pair | {"place": place, "similarity": float(value)}
            for place, value in enumerate(values, start=1)
        ]
        to_others[first].append(mean)
        to_others[second].append(mean)
    rows += [
        {"role": role, "first": name, "second": EVERYTHING, "n": len(means),
         "mean": float(np.mean(means)), "median": float(np.median(means))}
        for name, means in to_others.items()
        if len(means) > 1
    ]  # fmt: skip
    return rows, curves


def across_rows(
    systems: Mapping[str, Texts], references: Mapping[str, Texts], similarity: Similarity
) -> list[Row]:
    """Every system and every set of references: the people among the systems of Fig 5."""
    rows = []
    for (system, one), (source, other) in product(systems.items(), references.items()):
        if not set(one) & set(other):
            continue
        values = (similarity(one, other) + similarity(other, one)) / 2
        rows.append(
            {"role": ACROSS, "first": system, "second": source, "n": len(values),
             "mean": float(values.mean()), "median": float(np.median(values))}
        )  # fmt: skip
    return rows


def people_rows(analysis: Analysis) -> list[Row]:
    seconds, hours = work_seconds(analysis.ratings)
    quality = analysis.quality
    return [
        {
            "annotator": name,
            "ratings": int(analysis.standardised.ratings[at]),
            "passed": quality.status[at],
            "repeat_p": float(quality.repeats.p[at]),
            "seconds_per_caption": float(seconds[at]),
            "hours": float(hours[at]),
        }
        for at, name in enumerate(analysis.ratings.annotators)
    ]


def repeats_sentence(analysis: Analysis) -> str:
    """Of those who passed, how many rated repeats as they had rated them first."""
    level = analysis.settings.quality_alpha
    p = analysis.quality.repeats.p[analysis.quality.passed]
    tested = p[~np.isnan(p)]
    if not len(tested):
        return "Nobody who passed rated repeats, so nothing is known about them."
    same = int(np.count_nonzero(tested >= level))
    return (
        f"{same:,} of {len(tested):,} annotators who passed and rated repeats "
        f"({100 * same / len(tested):.0f} %) show no significant difference on them."
    )


def stability_rows(analysis: Analysis, *, rng: np.random.Generator, draws: int) -> list[Row]:
    ratings = analysis.ratings
    _, z = answers(ratings, analysis.standardised, analysis.settings)
    shared = shared_ratings(ratings, z, analysis.used)
    system = shared.unit // len(ratings.items)
    return [asdict(point) for point in stability_curve(shared, system, rng=rng, draws=draws)]


def distribution_rows(scores: Mapping[str, NDArray[np.float64]]) -> list[Row]:
    """Share of the captions of each system, and of all, by z score in steps of a quarter."""
    edges = np.arange(-END, END + STEP / 2, STEP)
    groups = {**scores, EVERYTHING: np.concatenate(list(scores.values()))}
    return [
        {"system": name, "from": float(low), "to": float(low + STEP), "captions": int(count),
         "share": count / max(len(values), 1)}
        for name, values in groups.items()
        for low, count in zip(
            edges[:-1], np.histogram(np.clip(values, -END, END - 1e-9), edges)[0], strict=True
        )
    ]  # fmt: skip


def level_rows(levels: NDArray[np.int64], sets: int = 5) -> list[Row]:
    """Captions of each level, and how many of them a quality-drift set keeps (emscore-2022)."""
    counts = np.bincount(levels, minlength=sets + 1)
    return [
        {"drift_set": one, "level": level, "captions": int(counts[level]),
         "expected": counts[level] / (abs(one - level) + 1)}
        for one in range(1, sets + 1)
        for level in range(1, sets + 1)
    ]  # fmt: skip
