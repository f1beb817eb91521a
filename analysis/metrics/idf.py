"""How much a token weighs: rare ones more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Tokens = NDArray[np.int32]


@dataclass(frozen=True)
class Idf:
    """The weight of each known token, and that of all others."""

    tokens: Tokens
    values: Floats
    unseen: float

    def __call__(self, tokens: Tokens) -> Floats:
        if not len(self.tokens):
            return np.full(len(tokens), self.unseen)
        place = np.minimum(np.searchsorted(self.tokens, tokens), len(self.tokens) - 1)
        return np.where(self.tokens[place] == tokens, self.values[place], self.unseen)


EQUAL = Idf(np.zeros(0, np.int32), np.zeros(0), 1.0)


def inverse_document_frequencies(texts: Sequence[Tokens], how: str, context: int = 77) -> Idf:
    """Weights from a corpus of tokenised texts, each of them one document (EMScore, equation 8).

    Parameters
    ----------
    how : ``authors``, log((N+1)/(c+1)) as in EMScore's code; ``paper``, -log(c/N); ``factvc``, as
        in FactVC's code, where [EOS] keeps the weight 0 of a token that every text has; ``none``,
        all equal.  With the first two [EOS], the last token of every text, gets the mean of all
        weights.  An unseen token weighs log(N+1); the paper's formula is silent about those.
    context : the length to which the authors' code pads; its padding counts as a token of the
        text (number 0), which weighs nothing but lowers the mean that [EOS] gets
    """
    if how == "none":
        return EQUAL
    if not texts:
        raise ValueError("texts must not be empty: there is no corpus in which to count tokens")
    as_in_code = how != "paper"
    tokens, counts = _document_counts(texts, context if as_in_code else 0)
    documents = len(texts)
    share = (counts + 1) / (documents + 1) if as_in_code else counts / documents
    values = -np.log(share)
    if how != "factvc":
        values[tokens == texts[0][-1]] = values.mean()
    return Idf(tokens, values, float(np.log(documents + 1)))


def _document_counts(texts: Sequence[Tokens], context: int) -> tuple[Tokens, NDArray[np.int64]]:
    """Every token, sorted, and the number of texts that hold it; shorter texts hold a 0 too."""
    import pandas as pd  # not on top: web processes import this module, and never count

    sizes = np.array([len(text) for text in texts])
    padded = np.flatnonzero(sizes < context)
    document = np.concatenate([np.repeat(np.arange(len(texts)), sizes), padded])
    token = np.concatenate([*texts, np.zeros(len(padded), np.int64)])
    once = pd.unique((document << 32) | token)
    tokens, counts = np.unique(once & 0xFFFFFFFF, return_counts=True)
    return tokens.astype(np.int32), counts
