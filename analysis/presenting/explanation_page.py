"""EMScore's picture of a caption as the page shows it: words, frames, and how they match. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from analysis.presenting.sentences import listed, number

SHADES: Final = 10
TOLD: Final = 2
"""Words named in each half of the sentence."""


@dataclass(frozen=True)
class Frame:
    """A frame with the word it matched; ``at`` is its time in milliseconds."""

    at: int
    name: str
    similarity: float
    word: str


@dataclass(frozen=True)
class Word:
    """A token with the frame it matched, and its share of the precision in percent."""

    name: str
    percent: float
    similarity: float
    frame: Frame


@dataclass(frozen=True)
class Cell:
    """A word and a frame: how alike, how dark, and whose best match this is."""

    similarity: float
    shade: int
    is_word_best: bool
    is_frame_best: bool

    @property
    def text(self) -> str:
        return number(self.similarity)


@dataclass(frozen=True)
class Picture:
    """All of it. The first and the last word are the model's own marks of start and end."""

    words: list[Word]
    frames: list[Frame]
    rows: list[tuple[Word, list[Cell]]]
    sentence: str

    @property
    def last(self) -> str:
        """The last word that was read."""
        return self.words[-2].name if len(self.words) > 1 else ""


def explanation_picture(found: Mapping[str, Any]) -> Picture:
    """Of what a worker kept: `analysis.metrics.explanations.Explanation` as a dictionary."""
    tokens, similarity = found["tokens"], found["similarity"]
    frames = [
        Frame(at, frame["name"], frame["similarity"], tokens[frame["best"]]["name"])
        for at, frame in zip(found["times"], found["frames"], strict=True)
    ]
    total = sum(token["weight"] for token in tokens) or 1.0
    words = [
        Word(
            token["name"],
            100 * token["weight"] / total,
            token["similarity"],
            frames[token["best"]],
        )
        for token in tokens
    ]
    cells = _cells(similarity, tokens, found["frames"])
    return Picture(words, frames, list(zip(words, cells, strict=True)), found_sentence(words))


def _cells(
    similarity: Sequence[Sequence[float]],
    tokens: Sequence[Mapping[str, Any]],
    frames: Sequence[Mapping[str, Any]],
) -> list[list[Cell]]:
    low = min(map(min, similarity))
    span = max(map(max, similarity)) - low
    return [
        [
            Cell(value, shade(value, low, span), token["best"] == column, frame["best"] == row)
            for column, (value, frame) in enumerate(zip(values, frames, strict=True))
        ]
        for row, (values, token) in enumerate(zip(similarity, tokens, strict=True))
    ]


def shade(value: float, low: float, span: float) -> int:
    """From 0 for the lowest value to 9 for the highest.

    >>> shade(0.1, 0.1, 0.2), shade(0.2, 0.1, 0.2), shade(0.3, 0.1, 0.2), shade(0.5, 0.5, 0.0)
    (0, 5, 9, 0)
    """
    return min(int(SHADES * (value - low) / span), SHADES - 1) if span > 0 else 0


def found_sentence(words: Sequence[Word]) -> str:
    """Which words the video shows most clearly, and which least, of those that weigh something."""
    telling = _telling(words[1:-1])
    if len(telling) < 2 * TOLD:
        return ""
    by_likeness = sorted(telling, key=lambda word: word.similarity)
    best, worst = by_likeness[: -TOLD - 1 : -1], by_likeness[:TOLD]
    return (
        f"Best match in the video: {listed([_told(word) for word in best])}. "
        f"Weakest match: {listed([_told(word) for word in worst])}."
    )


def _telling(words: Sequence[Word]) -> list[Word]:
    """Words that are no commoner than most here: articles and full stops tell nobody anything."""
    usual = median([word.percent for word in words]) if words else 0.0
    return [
        word for word in words if 0 < word.percent >= usual and any(map(str.isalnum, word.name))
    ]


def _told(word: Word) -> str:
    return f"“{word.name}” ({number(word.similarity)} at {word.frame.name})"
