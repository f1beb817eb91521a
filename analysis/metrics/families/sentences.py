"""Similarity of meaning by a sentence model: STS of the whole, BERTScore of the tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.embedding import Texts
from analysis.metrics.encoding.sentence_model import SENTENCE, SentenceModel
from analysis.metrics.idf import EQUAL, Idf, inverse_document_frequencies
from analysis.metrics.matching import Stack, best, match_references
from analysis.metrics.registry import Family, Need, with_corpus
from analysis.metrics.settings import Settings
from analysis.metrics.vision import reference_cosines


def _sts(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    """The mean over references is BERTHA's rule for metrics without one (equation 4)."""
    cosines = reference_cosines(batch, _texts(context, settings))
    return {"sts": np.nanmean(cosines, axis=1), "sts_max": best(cosines)}


def _bertscore(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    """Greedy matching of tokens; of several references the best P, R and F each (Zhang, 3.1)."""
    texts = _texts(context, settings)
    weights = _weights(batch, texts) if settings.bertscore_idf else EQUAL
    found = {name: np.full(len(batch), np.nan) for name in ("p", "r", "f")}
    for video, rows in batch.rows_by_video.items():
        captions = _stack(texts, [batch.captions[row] for row in rows], weights)
        match = match_references(captions, _stack(texts, batch.references[video], weights))
        for name, part in (("p", match.precision), ("r", match.recall), ("f", match.f)):
            found[name][rows] = best(part)
    return {f"bertscore_{name}": values for name, values in found.items()}


def _texts(context: ScoringContext, settings: Settings) -> Texts:
    model: SentenceModel = context.resource(SENTENCE.name)
    return model.texts_for(settings)


def _weights(batch: Batch, texts: Texts) -> Idf:
    tokens = [texts[text].marks[:-1] for text in batch.corpus_texts()]
    # Without FactVC's padding this is BERTScore's own idf, in which [CLS] and [SEP] weigh nothing.
    return inverse_document_frequencies(tokens, "factvc", context=0)


def _stack(texts: Texts, wanted: Sequence[str], weights: Idf) -> Stack:
    """Token vectors without the sentence's; [CLS] and [SEP] may be matched but weigh nothing."""
    embeddings = [texts[text] for text in wanted]
    tokens = np.concatenate([embedding.marks[:-1] for embedding in embeddings])
    stack = Stack.of([embedding.vectors[:-1] for embedding in embeddings], [weights(tokens)])
    stack.weights[stack.starts] = stack.weights[stack.ends] = 0
    return stack


RESOURCES = (SENTENCE,)
_NEEDS = frozenset({Need.REFERENCES, SENTENCE.name})

FAMILIES = (
    Family(
        metrics={
            "sts": "cosine of the sentence embeddings, mean over the references",
            "sts_max": "cosine of the sentence embeddings, best of the references",
        },
        paper="Reimers & Gurevych 2019, Sentence-BERT: sentence embeddings by siamese networks",
        needs=_NEEDS,
        settings=("paragraphs",),
        score=_sts,
    ),
    Family(
        metrics={
            "bertscore_p": "contextual tokens of the caption found in the reference",
            "bertscore_r": "contextual tokens of the reference found in the caption",
            "bertscore_f": "harmonic mean of the two",
        },
        paper="Zhang et al. 2020, BERTScore: evaluating text generation with BERT",
        needs=_NEEDS,
        settings=("bertscore_layer", "bertscore_idf", "paragraphs"),
        score=_bertscore,
        uses_corpus=lambda settings: settings.bertscore_idf,
        texts=with_corpus,
    ),
)
