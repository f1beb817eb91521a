"""How much of what systems say is wrong: paragraphs, sentences and words (factvc-2023)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from analysis.presenting.exports import Table
from analysis.reading.factuality import HIGHEST, Paragraph

LEVELS = ("paragraph", "sentence", "word")
TABLES = ("errors", "systems", "human", "phrases", "categories")
UNSORTED = "no category"
BAND = (0.025, 0.975)


def factuality_tables(
    paragraphs: Sequence[Paragraph],
    *,
    rng: np.random.Generator,
    draws: int = 1_000,
    categories: Mapping[str, str] | None = None,
) -> dict[str, Table]:
    """Tables by name: `errors` over all systems, `systems` best first, `human` for `correlate`,
    `phrases` that were marked at least twice, and `categories` of them where a person gave some.

    A paragraph has errors when its score is below the highest, a sentence when anything in it is
    marked, a word when it is marked.
    """
    units, wrong = _counts(paragraphs)
    human = _human(paragraphs, units, wrong)
    return {
        "errors": {
            "level": np.array(LEVELS, object),
            "units": units.sum(axis=0),
            "wrong": wrong.sum(axis=0),
            "share": wrong.sum(axis=0) / units.sum(axis=0),
        },
        "systems": _systems(human, rng, draws),
        "human": human,
    } | _phrases(paragraphs, categories)


def often(phrases: Iterable[str], *, least: int = 2) -> list[tuple[str, int]]:
    """Phrases that occur at least so often, whatever their case, the most frequent first."""
    counted = Counter(phrase.casefold() for phrase in phrases)
    found = [(phrase, count) for phrase, count in counted.items() if count >= least]
    return sorted(found, key=lambda item: (-item[1], item[0]))


def _phrases(
    paragraphs: Sequence[Paragraph], categories: Mapping[str, str] | None
) -> dict[str, Table]:
    """A sheet to write categories into; with them, how the marks are shared out among them."""
    found = often(phrase for one in paragraphs for said in one.sentences for phrase in said.phrases)
    given = [(categories or {}).get(phrase, "") for phrase, _ in found]
    marks = np.array([count for _, count in found], np.int64)
    sheet: Table = {
        "phrase": np.array([phrase for phrase, _ in found], object),
        "marks": marks,
        "category": np.array(given, object),
    }
    if categories is None:
        return {"phrases": sheet}
    names, code = np.unique([name or UNSORTED for name in given], return_inverse=True)
    total = np.bincount(code, weights=marks, minlength=len(names))
    order = np.argsort(-total, kind="stable")
    shares: Table = {
        "category": names.astype(object)[order],
        "phrases": np.bincount(code, minlength=len(names))[order],
        "marks": total.astype(np.int64)[order],
        "share": total[order] / max(total.sum(), 1),
    }
    return {"phrases": sheet, "categories": shares}


def _counts(paragraphs: Sequence[Paragraph]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Units and wrong ones of each paragraph (rows) at each level (columns)."""
    units, wrong = [], []
    for paragraph in paragraphs:
        sentences = paragraph.sentences
        units.append((1, len(sentences), sum(one.words for one in sentences)))
        marked = sum(one.is_wrong for one in sentences)
        wrong.append((paragraph.score < HIGHEST, marked, sum(one.wrong for one in sentences)))
    return np.array(units, np.int64), np.array(wrong, np.int64)


def _human(
    paragraphs: Sequence[Paragraph], units: NDArray[np.int64], wrong: NDArray[np.int64]
) -> Table:
    """Higher is better at every level: the score, and the shares that are right."""
    right = 1 - wrong / np.maximum(units, 1)
    return {
        "video": np.array([paragraph.video for paragraph in paragraphs], object),
        "system": np.array([paragraph.system for paragraph in paragraphs], object),
        "paragraph": np.array([paragraph.score for paragraph in paragraphs]),
        "sentence": right[:, 1],
        "word": right[:, 2],
    }


def _systems(human: Table, rng: np.random.Generator, draws: int) -> Table:
    """Means over paragraphs, with intervals that draw videos; the best paragraphs first."""
    names, code = np.unique(human["system"].astype(str), return_inverse=True)
    videos, video = np.unique(human["video"].astype(str), return_inverse=True)
    values = np.column_stack([human[level] for level in LEVELS])
    drawn = rng.multinomial(len(videos), np.full(len(videos), 1 / len(videos)), size=draws)
    means, low, high = (np.empty((len(names), len(LEVELS))) for _ in range(3))
    for at in range(len(names)):
        own = code == at
        means[at] = values[own].mean(axis=0)
        count = drawn[:, video[own]]
        with np.errstate(divide="ignore", invalid="ignore"):
            resampled = count @ values[own] / count.sum(axis=1, keepdims=True)
        low[at], high[at] = np.nanquantile(resampled, BAND, axis=0)
    order = np.argsort(-means[:, 0], kind="stable")
    table: dict[str, NDArray[np.generic]] = {"system": names.astype(object)[order]}
    table |= {level: means[order, at] for at, level in enumerate(LEVELS)}
    for at, level in enumerate(LEVELS):
        table |= {f"{level}_low": low[order, at], f"{level}_high": high[order, at]}
    return table | {"paragraphs": np.bincount(code)[order]}
