"""CIDEr and CIDEr-D: agreement with the references in words that are rare in the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.ngrams import Counts, Integers, look_up
from analysis.metrics.registry import Family, Need
from analysis.metrics.settings import Settings
from analysis.metrics.words import Ngrams, Words, lengths

_SIGMA = 6.0
_SCALE = 10.0


@dataclass(frozen=True)
class _Pairs:
    """Every caption with each of its references."""

    first: Integers  # per caption the number of its first pair
    references: Integers  # per caption the number of its references
    caption: Integers
    reference: Integers


def cider(words: Words) -> tuple[Values, Values]:
    """CIDEr-D and CIDEr of every caption (Vedantam et al. 2015), times ten.

    CIDEr (equations 1-3) is the mean cosine of tf-idf vectors over n-gram orders and references.
    CIDEr-D (section 5) clips tf-idf at the reference's and adds a Gaussian penalty (σ = 6) on the
    difference in length, which the reference implementation counts in bigrams.
    Document frequencies: one document per video of the corpus.
    """
    pairs = _pairs(words)
    clipped, plain = np.zeros(len(pairs.caption)), np.zeros(len(pairs.caption))
    for ngrams in words.counts:
        clipped_cosine, cosine = _cosines(words, ngrams, pairs)
        clipped += clipped_cosine
        plain += cosine
    clipped *= _length_penalty(words, pairs)
    share = _SCALE / len(words.counts) / pairs.references
    return (
        np.bincount(pairs.caption, clipped, minlength=len(share)) * share,
        np.bincount(pairs.caption, plain, minlength=len(share)) * share,
    )


def _length_penalty(words: Words, pairs: _Pairs) -> Values:
    bigrams = np.maximum(lengths(words.captions) - 1, 0)
    reference_bigrams = np.maximum(lengths(words.references.texts) - 1, 0)
    difference = bigrams[pairs.caption] - reference_bigrams[pairs.reference]
    return np.exp(-(difference**2) / (2 * _SIGMA**2))


def _pairs(words: Words) -> _Pairs:
    sizes = np.bincount(words.references.document, minlength=words.references.documents)
    starts = np.cumsum(sizes) - sizes
    references = sizes[words.document]
    first = np.cumsum(references) - references
    caption = np.repeat(np.arange(len(words.captions)), references)
    reference = starts[words.document][caption] + np.arange(len(caption)) - first[caption]
    return _Pairs(first, references, caption, reference)


def _cosines(words: Words, ngrams: Ngrams, pairs: _Pairs) -> tuple[Values, Values]:
    """Cosine of the tf-idf vectors of each pair over n-grams of one order, clipped and plain."""
    idf = _inverse_document_frequencies(words, ngrams)
    ours, theirs = ngrams.captions, ngrams.references
    our_weights, their_weights = ours.count * idf[ours.gram], theirs.count * idf[theirs.gram]
    # One row for each n-gram of a caption and each reference of that caption.
    repeats = pairs.references[ours.sentence]
    entry = np.repeat(np.arange(len(repeats)), repeats)
    turn = np.arange(len(entry)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    pair = pairs.first[ours.sentence[entry]] + turn
    keys = pairs.reference[pair] * ours.grams + ours.gram[entry]
    own = our_weights[entry]
    other = look_up(keys, theirs.keys(np.arange(len(words.references.texts))), their_weights)
    norms = (
        _norms(ours, our_weights, len(words.captions))[pairs.caption]
        * _norms(theirs, their_weights, len(words.references.texts))[pairs.reference]
    )
    norms[norms == 0] = 1.0  # a text without such n-grams: the product above is 0 already
    return (
        np.bincount(pair, np.minimum(own, other) * other, minlength=len(norms)) / norms,
        np.bincount(pair, own * other, minlength=len(norms)) / norms,
    )


def _inverse_document_frequencies(words: Words, ngrams: Ngrams) -> Values:
    import pandas as pd  # not on top: web processes import this module, and never count

    holders = pd.unique(ngrams.corpus.keys(words.corpus.document)) % ngrams.corpus.grams
    frequency = np.bincount(holders, minlength=ngrams.corpus.grams)
    weights: Values = np.log(words.corpus.documents) - np.log(np.maximum(frequency, 1))
    return weights


def _norms(counts: Counts, weights: Values, sentences: int) -> Values:
    return np.sqrt(np.bincount(counts.sentence, weights**2, minlength=sentences))


def _score(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    words = context.words(batch, settings.tokenize)
    clipped, plain = cider(words)
    return {"cider": clipped, "cider_plain": plain}


FAMILIES = (
    Family(
        metrics={
            "cider": "CIDEr-D, the number the community reports as CIDEr: tf-idf n-grams, clipped",
            "cider_plain": "CIDEr as first defined: tf-idf cosine, neither clipped nor penalised",
        },
        paper="Vedantam et al. 2015, CIDEr: consensus-based image description evaluation",
        needs=frozenset({Need.REFERENCES}),
        settings=("tokenize",),
        score=_score,
        uses_corpus=lambda settings: True,
    ),
)
