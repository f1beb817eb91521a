"""Captions made wrong by one word: does the true one score higher (emscore-2022 §5.2)?"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation.captions import CaptionSet, References
from analysis.evaluation.reading import read_frame
from analysis.evaluation.robustness.findings import Finding
from analysis.evaluation.robustness.lexicon import CATEGORIES
from analysis.evaluation.scores import Floats
from analysis.evaluation.scoring import Scorer
from analysis.metrics.batch import Batch
from analysis.metrics.files import as_texts
from analysis.reading.files import fault
from daplatform.tables import FirstFault, Kind

CHECK = "foils"
EVERY = "all"
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class FoilPair:
    """A true caption of a video, and the same made wrong.

    Parameters
    ----------
    sentence : of a paragraph, the number of the sentence that is wrong
    """

    video: str
    true: str
    foil: str
    category: str
    sentence: int = 1


def make_foil(text: str, category: str, rng: np.random.Generator) -> str | None:
    """One word of the category swapped for another of its kind; None where there is none.

    >>> make_foil("A red car.", "colour", np.random.default_rng(1))
    'A white car.'
    """
    places = [
        (match, group)
        for match in _WORD.finditer(text)
        for group in CATEGORIES[category]
        if match[0].lower() in group
    ]
    if not places:
        return None
    match, group = places[int(rng.integers(len(places)))]
    word = other_word(match[0].lower(), group, rng)
    new = word.capitalize() if match[0][0].isupper() else word
    return text[: match.start()] + new + text[match.end() :]


def other_word(word: str, group: Sequence[str], rng: np.random.Generator) -> str:
    """Another word of the group, one that keeps "a" or "an" right if there is one."""
    others = [other for other in group if other != word]
    same = [other for other in others if (other[0] in "aeiou") == (word[0] in "aeiou")]
    choices = same or others
    return choices[int(rng.integers(len(choices)))]


def make_foils(
    references: References, rng: np.random.Generator
) -> tuple[list[FoilPair], dict[str, dict[str, str]]]:
    """A foil of each sort for the captions of the first source, and the references without it: a
    true caption must not be its own reference."""
    sources = list(dict.fromkeys(source for named in references.values() for source in named))
    if len(sources) < 2:
        raise ValueError(
            "foils are made of one set of references and scored against another, and there is only "
            "one; a file of true and foil captions can be given instead"
        )
    first = sources[0]
    rest = {
        video: {source: text for source, text in named.items() if source != first}
        for video, named in references.items()
    }
    pairs = [
        FoilPair(video, named[first], foil, category)
        for video, named in references.items()
        if first in named
        for category in CATEGORIES
        if (foil := make_foil(named[first], category, rng)) is not None
    ]
    return pairs, rest


def read_foils(path: Path) -> list[FoilPair]:
    """Pairs from a file: `video,true,foil` and, if there is one, `category`."""
    frame = read_frame(path, FirstFault())
    for name in ("video", "true", "foil"):
        if name not in frame.columns:
            raise fault(
                path,
                1,
                f"There is no column {name!r}.",
                "Name the columns video, true, foil and, if you like, category.",
                Kind.MISSING_COLUMN,
            )
    category = frame["category"] if "category" in frame.columns else [EVERY] * len(frame)
    columns = (frame["video"], frame["true"], frame["foil"], category)
    rows = (map(str, cells) for cells in zip(*columns, strict=True))
    return [FoilPair(video, true, foil, kind) for video, true, foil, kind in rows]


def check_foils(
    pairs: Sequence[FoilPair], references: References, captions: CaptionSet, scorer: Scorer
) -> list[Finding]:
    """Share of pairs in which the true caption outscores its foil; a tie is none.

    The videos and the corpus are those of the captions; without a corpus, rare words are counted in
    the references.
    """
    if not pairs:
        raise ValueError(
            "there are no pairs of true and foil captions: no word of the references can be swapped"
        )
    refs = as_texts(references)
    videos = [pair.video for pair in pairs]
    texts = [pair.true for pair in pairs] + [pair.foil for pair in pairs]
    batch = Batch(texts, videos * 2, refs, captions.corpus or refs, captions.files)
    with scorer.passing():
        values = scorer.batch(batch).values
    categories = list(dict.fromkeys([EVERY, *(pair.category for pair in pairs)]))
    member = np.array([pair.category for pair in pairs])
    return [
        _accuracy(metric, category, scores, (member == category) | (category == EVERY))
        for category in categories
        for metric, scores in values.items()
    ]


def _accuracy(metric: str, category: str, scores: Floats, rows: NDArray[np.bool_]) -> Finding:
    true, foil = scores[: len(rows)], scores[len(rows) :]
    defined = rows & np.isfinite(true) & np.isfinite(foil)
    n = int(np.count_nonzero(defined))
    won = np.count_nonzero(defined & (true > foil))
    ties = np.count_nonzero(defined & (true == foil))
    accuracy = float(won / n) if n else math.nan
    return Finding(CHECK, category, metric, n, accuracy=accuracy, ties=float(ties))
