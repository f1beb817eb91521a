"""How well a score tells wrong words from right ones: AUC and F1, by video."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FOLDS: Final = 10


@dataclass(frozen=True, slots=True)
class Detection:
    """Of words whose score is known; NaN where not defined.

    Parameters
    ----------
    auc : chance that a right word scores higher than a wrong one, a tie counting half
    f1 : of calling a word wrong at or below a threshold that other videos chose
    f1_all : of calling every word wrong
    """

    words: int
    wrong: int
    videos: int
    auc: float
    auc_low: float
    auc_high: float
    f1: float
    f1_low: float
    f1_high: float
    f1_all: float


def detect(
    score: Floats,
    wrong: NDArray[np.bool_],
    video: NDArray[np.integer],
    *,
    rng: np.random.Generator,
    draws: int = 1_000,
    confidence: float = 0.95,
) -> Detection:
    """AUC and cross-validated F1, with percentile intervals that draw videos.

    Parameters
    ----------
    score : of each word; the higher, the more likely it is right
    wrong : whether people found the word wrong
    video : of each word, as a number
    """
    _, videos = np.unique(video, return_inverse=True)
    count = int(videos.max()) + 1 if len(videos) else 0
    _, code = np.unique(score, return_inverse=True)
    called = _called_wrong(code, wrong, videos, rng.permutation(count))
    shares = np.full(max(count, 1), 1 / max(count, 1))
    times = rng.multinomial(count, shares, size=draws if count else 0)
    drawn = np.array(
        [(auc(code, wrong, own[videos]), f1(called, wrong, own[videos])) for own in times]
    ).reshape(-1, 2)
    low, high = (_quantile(drawn, at) for at in ((1 - confidence) / 2, (1 + confidence) / 2))
    once = np.ones(len(score))
    return Detection(
        words=len(score),
        wrong=int(wrong.sum()),
        videos=count,
        auc=auc(code, wrong, once),
        auc_low=low[0],
        auc_high=high[0],
        f1=f1(called, wrong, once),
        f1_low=low[1],
        f1_high=high[1],
        f1_all=f1(np.ones(len(score), bool), wrong, once),
    )


def auc(
    code: NDArray[np.integer], wrong: NDArray[np.bool_], times: Floats | NDArray[np.integer]
) -> float:
    """Area under the ROC curve of words that each count so many ``times``.

    ``code`` orders the scores: equal scores have equal numbers, 0 being the lowest.

    >>> auc(np.array([0, 1, 1, 2]), np.array([True, True, False, False]), np.ones(4))
    0.875
    """
    bad = np.bincount(code, times * wrong, minlength=1)
    good = np.bincount(code, times * ~wrong, minlength=1)
    pairs = good.sum() * bad.sum()
    return float(good @ (bad.cumsum() - bad / 2) / pairs) if pairs else float("nan")


def f1(
    called: NDArray[np.bool_], wrong: NDArray[np.bool_], times: Floats | NDArray[np.integer]
) -> float:
    """Of the words called wrong; NaN where no word is wrong, or where there is no threshold.

    >>> f1(np.array([True, True, False]), np.array([True, False, True]), np.ones(3))
    0.5
    """
    total = float(times @ wrong)
    if not total or len(called) != len(wrong):
        return float("nan")
    return float(2 * (times @ (called & wrong)) / (times @ called + total))


def best_threshold(code: NDArray[np.integer], wrong: NDArray[np.bool_]) -> int:
    """The code at or below which calling words wrong has the highest F1, the lowest of several;
    -1 where no word is wrong.

    >>> best_threshold(np.array([0, 1, 2, 3]), np.array([True, False, True, False]))
    2
    """
    if not wrong.any():
        return -1
    found = np.bincount(code, wrong).cumsum()
    called = np.bincount(code).cumsum()
    return int(np.argmax(2 * found / (called + wrong.sum())))


def _called_wrong(
    code: NDArray[np.integer],
    wrong: NDArray[np.bool_],
    video: NDArray[np.integer],
    order: NDArray[np.integer],
) -> NDArray[np.bool_]:
    """Each word by the threshold of the other folds of videos; nothing with fewer than two."""
    if len(order) < 2:
        return np.empty(0, bool)
    fold = order[video] % min(FOLDS, len(order))
    called = np.zeros(len(code), bool)
    for held in np.unique(fold):
        out = fold == held
        called[out] = code[out] <= best_threshold(code[~out], wrong[~out])
    return called


def _quantile(drawn: Floats, at: float) -> tuple[float, float]:
    """Draws in which a value is not defined do not count."""
    kept = [column[np.isfinite(column)] for column in drawn.T]
    low, high = (float(np.quantile(own, at)) if len(own) else float("nan") for own in kept)
    return low, high
