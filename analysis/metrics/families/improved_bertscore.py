"""BERTScore whose references learn from each other: what only one of them says counts for all.

Recall as the authors' code has it: what of the references the caption covers, once over all tokens
and once without those that carry little meaning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.embedding import Texts
from analysis.metrics.encoding.sentence_model import SENTENCE, SentenceModel
from analysis.metrics.idf import Idf, inverse_document_frequencies
from analysis.metrics.registry import Family, MetricUnavailable, Need, with_corpus
from analysis.metrics.settings import Settings

THRESHOLD: Final = 0.4
"""A cosine up to which two tokens do not match."""
_ARTICLES = "a an the this that these those some any each"
_PREPOSITIONS = (
    "of at by for with about against between into through during before after above below to from "
    "up down in out on off over under"
)
_OTHERS = (
    "and or but if again then there here is are was were be been being am do does did have has had "
    "it its he she they them his her their him i you we who which what as while very too so than "
    "just only also not no . , ; : ! ? ' - ( )"
)
STOP_WORDS: Final = frozenset(f"{_ARTICLES} {_PREPOSITIONS} {_OTHERS}".split())

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text without those that begin and end it."""

    numbers: NDArray[np.int32]
    vectors: Vectors

    def take(self, rows: Sequence[int]) -> Tokens:
        return Tokens(self.numbers[list(rows)], self.vectors[list(rows)])

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            np.concatenate([self.numbers, other.numbers]),
            np.concatenate([self.vectors, other.vectors]),
        )


def completed(references: Sequence[Tokens]) -> list[Tokens]:
    """Each reference with the tokens of the others that match nothing in it, each token once."""
    found = []
    for at, own in enumerate(references):
        others = [one for place, one in enumerate(references) if place != at]
        taken: list[Tokens] = []
        known: set[int] = set()
        for other in others:
            best = (other.vectors @ own.vectors.T).max(axis=1, initial=-1.0)
            rows = []
            for row in np.flatnonzero(best <= THRESHOLD).tolist():
                number = int(other.numbers[row])
                if number not in known:
                    known.add(number)
                    rows.append(row)
            taken.append(other.take(rows))
        found.append(sum(taken, own))
    return found


def recall(caption: Tokens, reference: Tokens, weights: Floats) -> float:
    """Weighted share of the reference that the caption covers; what matches nothing counts 0."""
    if not weights.sum():
        return float("nan")
    best = (reference.vectors @ caption.vectors.T).max(axis=1, initial=-1.0)
    return float((weights * np.where(best > THRESHOLD, best, 0.0)).sum() / weights.sum())


def improved(
    caption: Tokens,
    references: Sequence[Tokens],
    idf: Callable[[NDArray[np.int32]], Floats],
    is_plain: Callable[[NDArray[np.int32]], NDArray[np.bool_]],
) -> float:
    """Mean over references of recall × recall without stop words.

    ``references`` are completed by each other; ``is_plain`` says which tokens are stop words. A
    reference of stop words alone has nothing that could be missed: the first factor counts.
    """
    scores = []
    for reference in references:
        weights = idf(reference.numbers)
        kept = np.where(is_plain(reference.numbers), 0.0, weights)
        whole, meant = recall(caption, reference, weights), recall(caption, reference, kept)
        scores.append(whole if np.isnan(meant) else whole * meant)
    return float(np.mean(scores))


def _score(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    model: SentenceModel = context.resource(SENTENCE.name)
    texts = model.texts_for(settings)
    corpus = [texts[text].marks[:-1] for text in batch.corpus_texts()]
    idf: Idf = inverse_document_frequencies(corpus, "factvc", context=0)
    plain = stop_tokens(model.folder)
    found = np.full(len(batch), np.nan)
    for video, rows in batch.rows_by_video.items():
        told = completed([_tokens(texts, text) for text in batch.references[video]])
        for row in rows.tolist():
            caption = _tokens(texts, batch.captions[row])
            found[row] = improved(caption, told, idf, lambda numbers: np.isin(numbers, plain))
    return {"bertscore_improved": found}


def _tokens(texts: Texts, text: str) -> Tokens:
    """The last vector is the sentence's; the first and the last mark begin and end the text."""
    embedding = texts[text]
    return Tokens(embedding.marks[1:-2], np.asarray(embedding.vectors[1:-2], dtype=np.float32))


@cache
def stop_tokens(folder: Path) -> NDArray[np.int32]:
    """The numbers of the stop words in a model's vocabulary."""
    plain, described = folder / "vocab.txt", folder / "tokenizer.json"
    if plain.is_file():
        words = {word: at for at, word in enumerate(plain.read_text("utf-8").splitlines())}
    elif described.is_file():
        words = json.loads(described.read_text("utf-8"))["model"]["vocab"]
    else:
        words = {}
    if not isinstance(words, dict) or not STOP_WORDS & words.keys():
        raise MetricUnavailable(
            f"the sentence model in {folder} has no vocabulary of words (vocab.txt), so stop "
            "words cannot be recognised"
        )
    return np.array(sorted(words[word] for word in STOP_WORDS & words.keys()), dtype=np.int32)


FAMILIES = (
    Family(
        metrics={"bertscore_improved": "recall of references that complete each other"},
        paper="Yi et al. 2020, Improving image captioning evaluation by inter references variance",
        needs=frozenset({Need.REFERENCES, SENTENCE.name}),
        settings=("bertscore_layer", "paragraphs"),
        score=_score,
        uses_corpus=lambda settings: True,
        texts=with_corpus,
    ),
)
