"""Captions that are wrong in a known way: foils of one word, and captions of other videos.

Foils as in emscore-2022 §5.2: a concept is swapped for another of its super-category, and of all
such texts the one that reads best is kept. Captions of other videos by adversarial matching
(Zellers et al. 2019, VCR): as relevant to the video as can be, and as unlike its own caption.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from analysis.evaluation.robustness.foils import FoilPair
from analysis.evaluation.robustness.lexicon import CATEGORIES
from analysis.metrics.batch import sentences_of

Floats = NDArray[np.float64]

WEIGHTS: Final = (0.6, 0.3, 0.1)
"""Of three, two and one word; the papers name none."""
BEGIN, END = "<s>", "</s>"
_WORD = re.compile(r"[A-Za-z]+")
_BARRED = -1e9


class Reader(Protocol):
    """Tells how badly a sentence reads."""

    def perplexity(self, text: str) -> float: ...


@dataclass(frozen=True)
class NgramModel:
    """How usual a sentence is among others: an interpolated model of three words.

    A word that was never seen counts as one that was seen once less.
    """

    counts: Mapping[tuple[str, ...], int]
    words: int
    vocabulary: int

    @classmethod
    def of(cls, texts: Iterable[str]) -> NgramModel:
        """
        >>> model = NgramModel.of(["a dog runs", "a dog sleeps"])
        >>> model.perplexity("a dog runs") < model.perplexity("runs a dog")
        True
        """
        counts: Counter[tuple[str, ...]] = Counter()
        for text in texts:
            words = _padded(text)
            for size in (1, 2, 3):
                counts.update(zip(*(words[at:] for at in range(size)), strict=False))
            counts[BEGIN,] -= 2  # they are never foretold
        single = {key: count for key, count in counts.items() if len(key) == 1 and count}
        return cls(counts, sum(single.values()), len(single))

    def probability(self, word: str, before: tuple[str, str]) -> float:
        three, two, one = WEIGHTS
        return (
            three * self._share((*before, word), before)
            + two * self._share((before[1], word), (before[1],))
            + one * (self.counts.get((word,), 0) + 1) / (self.words + self.vocabulary + 1)
        )

    def _share(self, whole: tuple[str, ...], before: tuple[str, ...]) -> float:
        seen = self._begun if before == (BEGIN,) else self.counts.get(before, 0)
        return self.counts.get(whole, 0) / seen if seen else 0.0

    @property
    def _begun(self) -> int:
        """A text begins with two marks: the second of them stands before a word."""
        return self.counts.get((BEGIN, BEGIN), 0)

    def perplexity(self, text: str) -> float:
        words = _padded(text)
        logs = [
            np.log(self.probability(words[at], (words[at - 2], words[at - 1])))
            for at in range(2, len(words))
        ]
        return float(np.exp(-np.mean(logs)))


def _padded(text: str) -> list[str]:
    return [BEGIN, BEGIN, *(word.lower() for word in _WORD.findall(text)), END]


def lexicon_concepts() -> dict[str, str]:
    """The nouns the platform knows by itself, by the first word of their group."""
    return {word: group[0] for group in CATEGORIES["noun"] for word in group}


def wordnet_concepts(folder: Path) -> dict[str, str]:
    """Every noun of WordNet with the lexicographer file of its first sense (``index.noun`` and
    ``data.noun``, as Debian's wordnet-base has them)."""
    index, data = folder / "index.noun", folder / "data.noun"
    if not index.is_file() or not data.is_file():
        raise ValueError(
            f"{folder} holds no index.noun and data.noun: install WordNet (Debian: wordnet-base), "
            "or give a table of concepts"
        )
    files = {line[:8]: line.split()[1] for line in _lines(data)}
    found = {}
    for line in _lines(index):
        word, _, _, pointers, *rest = line.split()
        offset = rest[int(pointers) + 2]
        if word.isalpha():
            found[word] = f"noun-{files[offset]}"
    return found


def _lines(path: Path) -> Iterator[str]:
    """Without the licence, whose lines begin with blanks."""
    with path.open(encoding="utf-8") as file:
        yield from (line for line in file if not line.startswith(" "))


@dataclass(frozen=True)
class Concepts:
    """Words that can take each other's place: those of one super-category that are not rare."""

    category: Mapping[str, str]
    members: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, known: Mapping[str, str], texts: Iterable[str], *, fewest: int = 3) -> Concepts:
        """The known words that the texts hold so often at least."""
        counts = Counter(word.lower() for text in texts for word in _WORD.findall(text))
        kept = sorted(word for word in known if counts[word] >= fewest)
        members: dict[str, list[str]] = {}
        for word in kept:
            members.setdefault(known[word], []).append(word)
        return cls(
            {word: known[word] for word in kept},
            {name: tuple(words) for name, words in members.items()},
        )

    def others(self, word: str) -> list[str]:
        """Of the same super-category and number, and behind the same article."""
        same = self.members.get(self.category.get(word, ""), ())
        return [other for other in same if other != word and _alike(other, word)]


def _alike(one: str, other: str) -> bool:
    vowel = (one[0] in "aeiou") == (other[0] in "aeiou")
    return vowel and one.endswith("s") == other.endswith("s")


def concept_foils(
    references: Mapping[str, Mapping[str, str]],
    concepts: Concepts,
    model: Reader,
    rng: np.random.Generator | None = None,
    most: int = 1,
) -> list[FoilPair]:
    """Foils of each video's captions that have a concept in them, in the order of its references.

    A word that any reference of the video has is never put in: it might be true. Of all texts with
    another word in one sentence that of lowest perplexity is kept, or with ``rng`` any.

    Parameters
    ----------
    most : foils of a video; each has one wrong sentence, and no two the same
    """
    found: list[FoilPair] = []
    for video, named in references.items():
        said = {word.lower() for text in named.values() for word in _WORD.findall(text)}
        own = (
            FoilPair(video, text, one.text, one.category, one.sentence)
            for text in dict.fromkeys(named.values())
            for one in _by_sentence(text, concepts, said, model, rng)
        )
        found += islice(own, most)
    return found


@dataclass(frozen=True, order=True)
class _Candidate:
    text: str
    category: str
    sentence: int


def _by_sentence(
    text: str,
    concepts: Concepts,
    said: set[str],
    model: Reader,
    rng: np.random.Generator | None,
) -> list[_Candidate]:
    """For each sentence of a text the best candidate; the best sentence first."""
    sentences: dict[int, list[_Candidate]] = {}
    for one in _candidates(text, concepts, said):
        sentences.setdefault(one.sentence, []).append(one)
    if rng is not None:
        drawn = [own[int(rng.integers(len(own)))] for own in sentences.values()]
        return [drawn[at] for at in rng.permutation(len(drawn)).tolist()]
    read = {one: model.perplexity(one.text) for own in sentences.values() for one in own}
    best = [min(own, key=lambda one: (read[one], one)) for own in sentences.values()]
    return sorted(best, key=lambda one: (read[one], one))


def _candidates(text: str, concepts: Concepts, said: set[str]) -> Iterator[_Candidate]:
    for match in _WORD.finditer(text):
        word = match[0].lower()
        for other in concepts.others(word):
            if other not in said:
                new = other.capitalize() if match[0][0].isupper() else other
                changed = text[: match.start()] + new + text[match.end() :]
                sentence = len(sentences_of(text[: match.end()]))
                yield _Candidate(changed, concepts.category[word], sentence)


def adversarial_matching(
    relevance: Floats, similarity: Floats, *, rounds: int = 3, weight: float = 1.0
) -> list[NDArray[np.intp]]:
    """For each round and video, the video whose caption is put in the place of its own.

    The matching of largest total weight log P_rel + λ log(1 − P_sim). No video gets its own
    caption, nor the same twice, so the first round is the hardest.

    Parameters
    ----------
    relevance : of each video (rows) and each caption (columns), above 0 and up to 1
    similarity : of the video's own caption (rows) and each caption (columns), the same
    weight : λ: how much a caption must differ from the true one
    """
    n = len(relevance)
    if relevance.shape != (n, n) or similarity.shape != (n, n):
        raise ValueError("relevance and similarity must be square, a row and a column per video")
    if n <= rounds:
        raise ValueError(f"{rounds} wrong captions each take {rounds + 1} videos at least, not {n}")
    tiny = np.finfo(np.float64).tiny
    worth = np.log(np.maximum(relevance, tiny)) + weight * np.log(np.maximum(1 - similarity, tiny))
    np.fill_diagonal(worth, _BARRED)
    found = []
    for _ in range(rounds):
        rows, columns = linear_sum_assignment(worth, maximize=True)
        found.append(columns)
        worth[rows, columns] = _BARRED
    return found


def shares(cosines: Floats) -> Floats:
    """Cosines as if they were probabilities: from −1 … 1 to 0 … 1."""
    return np.clip((1 + cosines) / 2, 0.0, 1.0)


def first_captions(references: Mapping[str, Mapping[str, str]]) -> tuple[list[str], list[str]]:
    """Each video and the first thing said of it."""
    videos: Sequence[str] = list(references)
    return list(videos), [next(iter(references[video].values())) for video in videos]
