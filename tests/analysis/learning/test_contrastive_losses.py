"""InfoNCE and InfoLOOB with Hopfield retrieval, against sums written out and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from analysis.learning.contrastive import cloob_loss, info_loob, info_nce  # noqa: E402

BETA, INVERSE = 8.0, 30.0


def unit(rng: np.random.Generator, count: int = 4, size: int = 3) -> np.ndarray:
    vectors = rng.normal(size=(count, size))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def pairs():
    rng = np.random.default_rng(3)
    return unit(rng), unit(rng)


def nce_by_hand(images, texts, scale):
    n, total = len(images), 0.0
    for i in range(n):
        k = [scale * sum(images[i] * texts[j]) for j in range(n)]
        back = [scale * sum(images[j] * texts[i]) for j in range(n)]
        for row in (k, back):
            total -= row[i] - math.log(sum(math.exp(value) for value in row))
    return total / (2 * n)


def retrieved_by_hand(stored, asking):
    found = []
    for state in asking:
        weights = np.array([math.exp(BETA * sum(state * pattern)) for pattern in stored])
        answer = sum(
            w * pattern for w, pattern in zip(weights / weights.sum(), stored, strict=True)
        )
        found.append(answer / math.sqrt(sum(answer**2)))
    return np.array(found)


def loob_by_hand(one, other):
    n, right, wrong = len(one), 0.0, 0.0
    for i in range(n):
        right += INVERSE * sum(one[i] * other[i]) / n
        rest = [math.exp(INVERSE * sum(one[i] * other[j])) for j in range(n) if j != i]
        wrong += math.log(sum(rest)) / n
    return (wrong - right) / INVERSE


def cloob_by_hand(images, texts):
    xx, xy = retrieved_by_hand(images, images), retrieved_by_hand(images, texts)
    yx, yy = retrieved_by_hand(texts, images), retrieved_by_hand(texts, texts)
    return loob_by_hand(xx, xy) + loob_by_hand(yy, yx)


def test_info_nce_is_the_sum_written_out(pairs):
    images, texts = map(torch.tensor, pairs)
    found = info_nce(images, texts, torch.tensor(14.0, dtype=torch.float64))
    assert float(found) == pytest.approx(nce_by_hand(*pairs, 14.0), abs=1e-12)


def test_cloobs_loss_is_the_sum_written_out(pairs):
    images, texts = map(torch.tensor, pairs)
    assert float(cloob_loss(images, texts, torch.tensor(1.0))) == pytest.approx(
        cloob_by_hand(*pairs), abs=1e-12
    )


@pytest.mark.parametrize(
    ("loss", "by_hand"),
    [
        (lambda x, y: info_nce(x, y, torch.tensor(14.0, dtype=torch.float64)), nce_by_hand),
        (lambda x, y: cloob_loss(x, y, torch.tensor(1.0)), cloob_by_hand),
    ],
    ids=["clip", "cloob"],
)
def test_gradients_are_those_of_finite_differences(loss, by_hand, pairs):
    images, texts = (torch.tensor(side, requires_grad=True) for side in pairs)
    loss(images, texts).backward()
    more = (14.0,) if by_hand is nce_by_hand else ()
    for side, given in enumerate((images, texts)):
        for place in np.ndindex(*given.shape):
            step = np.zeros(given.shape)
            step[place] = 1e-6
            ends = [
                by_hand(
                    *(p + sign * step if at == side else p for at, p in enumerate(pairs)), *more
                )
                for sign in (1, -1)
            ]
            slope = (ends[0] - ends[1]) / 2e-6
            assert float(given.grad[place]) == pytest.approx(slope, abs=1e-7)


def test_a_pair_alone_has_no_loss():
    with pytest.raises(ValueError, match="two pairs"):
        info_loob(torch.ones(1, 2), torch.ones(1, 2), INVERSE)
