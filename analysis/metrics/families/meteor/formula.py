"""METEOR's score of what was counted (Denkowski & Lavie 2014, §2.2), with its English weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from analysis.metrics.batch import Values

ALPHA: Final = 0.85  # how much recall counts
BETA: Final = 0.2  # the shape of the penalty for scattered matches
GAMMA: Final = 0.6  # and its weight
DELTA: Final = 0.75  # how much more content words count than function words
STAGES: Final = np.array([1.0, 0.6, 0.8, 0.6])  # exact, stem, synonym, paraphrase
COUNTS: Final = 23


def meteor_scores(rows: Sequence[Sequence[int]]) -> Values:
    """The score of each row of counts.

    A caption equal to its reference, and one that has no word in common with it:

    >>> same = [4, 4, 2, 2] + [2, 2, 2, 2] + [0] * 12 + [1, 4, 4]
    >>> other = [1, 6, 0, 3] + [0] * 19
    >>> meteor_scores([same, other]).tolist()
    [1.0, 0.0]
    """
    counts = np.array(rows, dtype=float).reshape(-1, COUNTS)
    caption, reference, caption_function, reference_function = counts[:, :4].T
    matched = counts[:, 4:20].reshape(-1, len(STAGES), 4)
    precision = _share(matched[:, :, 0], matched[:, :, 2], caption, caption_function)
    recall = _share(matched[:, :, 1], matched[:, :, 3], reference, reference_function)
    mean = _ratio(precision * recall, ALPHA * precision + (1 - ALPHA) * recall)
    chunks, in_caption, in_reference = counts[:, 20:].T
    scattered = _ratio(chunks, (in_caption + in_reference) / 2)
    is_whole = (chunks == 1) & (in_caption == caption) & (in_reference == reference)
    return mean * (1 - GAMMA * np.where(is_whole, 0, scattered) ** BETA)


def _share(content: Values, function: Values, words: Values, function_words: Values) -> Values:
    """Matches among all words, each by its stage and by whether it carries content."""
    return _ratio(
        (DELTA * content + (1 - DELTA) * function) @ STAGES,
        DELTA * (words - function_words) + (1 - DELTA) * function_words,
    )


def _ratio(part: Values, whole: Values) -> Values:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
