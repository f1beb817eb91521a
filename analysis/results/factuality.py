"""How much of what systems say is wrong: paragraphs, sentences and words (factvc-2023)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from analysis.presenting.exports import Table
from analysis.reading.factuality import SCALE, Paragraph
from analysis.results.phrases import Tagger, category_shares, phrase_table, phrases, shares_table
from hits.protocols import Scale

LEVELS = ("paragraph", "sentence", "word")
TABLES = ("errors", "systems", "human", "phrases", "categories", "agreement", "pairs")
BAND = (0.025, 0.975)
Rule = Callable[[Paragraph], bool]


def below_highest(paragraph: Paragraph) -> bool:
    """Whether a paragraph of levels 1 to 5 has errors (factvc-2023)."""
    return paragraph.score < SCALE.high


def something_marked(paragraph: Paragraph) -> bool:
    """The same on a scale whose highest point hardly anybody gives, from 0 to 100."""
    return paragraph.is_marked


def rule_of(scale: Scale) -> Rule:
    """What makes a paragraph wrong, by the scale of its score."""
    return below_highest if scale.is_ordinal else something_marked


def factuality_tables(
    paragraphs: Sequence[Paragraph],
    *,
    rng: np.random.Generator,
    draws: int = 1_000,
    categories: Mapping[str, str] | None = None,
    is_wrong: Rule = below_highest,
    tagger: Tagger | None = None,
) -> dict[str, Table]:
    """Tables by name: `errors` over all systems, `systems` best first, `human` for `correlate`,
    `phrases` that were marked at least twice, and the shares of their `categories`, which are
    suggested where none is given.

    A paragraph has errors when the rule says so, a sentence when anything in it is marked, a word
    when it is marked.
    """
    units, wrong = _counts(paragraphs, is_wrong)
    human = _human(paragraphs, units, wrong)
    sentences = (sentence for paragraph in paragraphs for sentence in paragraph.sentences)
    marked = (phrase for one in sentences for phrase in one.phrases)
    found = phrases(marked, categories, tagger=tagger)
    return {
        "errors": {
            "level": np.array(LEVELS, object),
            "units": units.sum(axis=0),
            "wrong": wrong.sum(axis=0),
            "share": wrong.sum(axis=0) / units.sum(axis=0),
        },
        "systems": _systems(human, units, wrong, rng, draws),
        "human": human,
        "phrases": phrase_table(found),
        "categories": shares_table(category_shares(found)),
    }


def paragraph_scores(paragraphs: Sequence[Paragraph]) -> Table:
    """Of each video and system, at every level."""
    return _human(paragraphs, *_counts(paragraphs, below_highest))


def _counts(
    paragraphs: Sequence[Paragraph], is_wrong: Rule
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Units and wrong ones of each paragraph (rows) at each level (columns)."""
    units, wrong = [], []
    for paragraph in paragraphs:
        sentences = paragraph.sentences
        units.append((1, len(sentences), sum(one.words for one in sentences)))
        marked = sum(one.is_wrong for one in sentences)
        wrong.append((is_wrong(paragraph), marked, sum(one.wrong for one in sentences)))
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


def _systems(
    human: Table,
    units: NDArray[np.int64],
    wrong: NDArray[np.int64],
    rng: np.random.Generator,
    draws: int,
) -> Table:
    """Means over paragraphs, and of all paragraphs, sentences and words together the share that is
    wrong, with intervals that draw videos; the best paragraphs first."""
    names, code = np.unique(human["system"].astype(str), return_inverse=True)
    videos, video = np.unique(human["video"].astype(str), return_inverse=True)
    values = np.column_stack([human[level] for level in LEVELS])
    drawn = rng.multinomial(len(videos), np.full(len(videos), 1 / len(videos)), size=draws)
    columns = (*LEVELS, *(f"{level}_wrong" for level in LEVELS))
    sums = np.column_stack([values, wrong])
    sizes = np.column_stack([np.ones_like(values), units])
    means, low, high = (np.empty((len(names), len(columns))) for _ in range(3))
    for at in range(len(names)):
        own = code == at
        count = drawn[:, video[own]]
        with np.errstate(divide="ignore", invalid="ignore"):
            means[at] = sums[own].sum(axis=0) / sizes[own].sum(axis=0)
            resampled = (count @ sums[own]) / (count @ sizes[own])
        low[at], high[at] = np.nanquantile(resampled, BAND, axis=0)
    order = np.argsort(-means[:, 0], kind="stable")
    table: dict[str, NDArray[np.generic]] = {"system": names.astype(object)[order]}
    table |= {level: means[order, at] for at, level in enumerate(LEVELS)}
    for at, level in enumerate(columns):
        table |= {level: means[order, at]}
        table |= {f"{level}_low": low[order, at], f"{level}_high": high[order, at]}
    return table | {"paragraphs": np.bincount(code)[order]}
