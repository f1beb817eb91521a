"""STS as UMBC EBIQUITY-CORE computes it: words are aligned, and what fits nothing is penalised.

Its own space of words is not public. Vectors come from a file, and WordNet, which helps them, from
a folder; so the numbers are those of the method and not of its service.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.word_vectors import WordVectors
from analysis.metrics.registry import Family, MetricUnavailable, Need, Resource
from analysis.metrics.settings import Settings

if TYPE_CHECKING:
    from analysis.metrics.config import MetricConfig

SHARE, DECAY, FARTHEST = 0.5, 0.25, 2
"""WordNet adds SHARE · exp(−DECAY · distance), up to two links away."""
STRANGE: Final = 0.05
"""A word whose best partner is less alike than this fits nothing."""
VECTORS_FILE, WORDNET = "umbc_vectors", "wordnet"
_FUNCTION_WORDS: Final = """
    a an the this that these those some any there here it its is are was were be been being am do
    does did has have had and or but of to in on at by for with from into onto as while then than
    very so such
"""
FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_HOW = (
    "UMBC's STS needs word vectors, which are not installed: name a file of them as text, a "
    f"word and its numbers a line, with --resource {VECTORS_FILE}=FILE or in METRIC_RESOURCES"
)
Alike = Callable[[str, str], float]


def align_and_penalise(one: Sequence[str], other: Sequence[str], alike: Alike) -> float:
    """Han et al. 2013, section 4: the mean likeness of each word to its best partner, both ways,
    less a penalty for words that fit nothing. From 0 to 1; NaN where a side has no word.

    >>> same = lambda a, b: float(a == b)
    >>> align_and_penalise(["dog", "runs"], ["dog", "runs"], same)
    1.0
    >>> align_and_penalise(["dog", "runs"], ["dog", "sleeps"], same)
    0.0
    """
    if not one or not other:
        return math.nan
    total = 0.0
    for words, others in ((one, other), (other, one)):
        best = np.array([max(alike(word, partner) for partner in others) for word in words])
        strange = best < STRANGE
        total += (best.sum() - (best[strange] + 1.0).sum()) / (2 * len(words))
    return min(max(float(total), 0.0), 1.0)


def content_words(text: str) -> list[str]:
    """
    >>> content_words("A man's dog is running.")
    ["man's", 'dog', 'running']
    """
    return [word for word in _WORD.findall(text.lower()) if word not in FUNCTION_WORDS]


@dataclass
class Likeness:
    """How alike two words are: the cosine of their vectors, and what WordNet adds."""

    vectors: WordVectors
    wordnet: Path | None
    _found: dict[tuple[str, str], float] = field(default_factory=dict, repr=False)

    @property
    def signature(self) -> str:
        return f"{self.vectors.signature},{'wordnet' if self.wordnet else 'no-wordnet'}"

    @cached_property
    def links(self) -> Mapping[str, Mapping[str, int]]:
        """Of each lemma, the synsets in reach and how many links of hypernyms away they are."""
        return _links(self.wordnet) if self.wordnet else {}

    def __call__(self, one: str, other: str) -> float:
        """From 0 to 1; words that are written alike are alike, with or without a vector."""
        if one == other:
            return 1.0
        pair = (one, other) if one < other else (other, one)
        if pair not in self._found:
            cosine = max(self.vectors.cosine(*pair) or 0.0, 0.0)
            self._found[pair] = min(cosine + self._relation(*pair), 1.0)
        return self._found[pair]

    def _relation(self, one: str, other: str) -> float:
        near, far = self.links.get(one, {}), self.links.get(other, {})
        apart = [steps + far[synset] for synset, steps in near.items() if synset in far]
        shortest = min(apart, default=FARTHEST + 1)
        return SHARE * math.exp(-DECAY * shortest) if shortest <= FARTHEST else 0.0


def _links(folder: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for kind in ("noun", "verb"):
        above: dict[str, list[str]] = {}
        for line in _lines(folder / f"data.{kind}"):
            cells = line.split(" | ")[0].split()
            pointers = 5 + 2 * int(cells[3], 16)
            above[cells[0]] = [
                cells[at + 1] for at in range(pointers, len(cells) - 1) if cells[at] == "@"
            ]
        for line in _lines(folder / f"index.{kind}"):
            word, _, senses, *_ = line.split()
            reached = found.setdefault(word, {})
            level = line.split()[-int(senses) :]
            for steps in range(FARTHEST + 1):
                for synset in level:
                    reached.setdefault(f"{kind}{synset}", steps)
                level = [higher for synset in level for higher in above.get(synset, ())]
    return found


def _lines(path: Path) -> list[str]:
    """Without the licence, whose lines begin with blanks."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line[:1].strip()]


def _score(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    """The mean over references, as for every metric that says nothing of several."""
    alike: Likeness = context.resource(UMBC.name)
    words = {text: content_words(text) for text in batch.texts()}
    alike.vectors.read(word for said in words.values() for word in said)
    found = [
        [align_and_penalise(words[text], words[told], alike) for told in batch.references[video]]
        for text, video in zip(batch.captions, batch.videos, strict=True)
    ]
    return {"sts_umbc": np.array([np.mean(values) for values in found], np.float64)}


def _find(config: MetricConfig) -> tuple[Path, Path | None]:
    vectors, wordnet = config.path(VECTORS_FILE), config.path(WORDNET)
    if vectors is None or not vectors.is_file():
        raise MetricUnavailable(_HOW)
    if wordnet is not None and not (wordnet / "data.noun").is_file():
        raise MetricUnavailable(f"{wordnet} holds no data.noun: install WordNet (wordnet-base)")
    return vectors, wordnet


def _open_wordnet(config: MetricConfig) -> Path:
    path = config.path(WORDNET)
    if path is None:
        raise MetricUnavailable("WordNet is not installed: Debian has it in wordnet-base")
    return path


UMBC = Resource(
    name=VECTORS_FILE,
    title="word vectors of UMBC's STS",
    find=_find,
    open=lambda found, config: Likeness(WordVectors(found[0]), found[1]),
)
NET = Resource(name=WORDNET, title="WordNet", find=_open_wordnet, open=lambda found, config: found)
RESOURCES = (UMBC, NET)

FAMILIES = (
    Family(
        metrics={"sts_umbc": "words aligned by likeness, what fits nothing penalised"},
        paper="Han et al. 2013, UMBC EBIQUITY-CORE: semantic textual similarity systems",
        needs=frozenset({Need.REFERENCES, UMBC.name}),
        settings=(),
        score=_score,
    ),
)
