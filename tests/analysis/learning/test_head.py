"""The small network on features, and how it is trained."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from analysis.learning import training  # noqa: E402
from analysis.learning.head_training import rank_loss, train_head  # noqa: E402
from analysis.learning.training import Aim, improves  # noqa: E402
from analysis.metrics.learned.features import Features  # noqa: E402
from analysis.metrics.learned.head import ATTENTION, Head, Heads, Recipe  # noqa: E402

SMALL = Recipe(hidden=4, members=2, steps=30)


def made_up(count: int = 40, size: int = 8) -> Features:
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(3, count, size)).astype(np.float32)
    return Features(rng.normal(size=(count, 3)), *vectors)


def test_inputs_are_made_on_the_device_of_the_head():
    """The meta device stands for a GPU: a number of the processor beside it is refused."""
    head = Head(3, 8, SMALL).to("meta")
    assert head(head.inputs_of(made_up())).device.type == "meta"
    head.fit_scale(made_up().numbers)
    assert head.mean.device.type == "meta"


def test_predictions_come_back_from_the_device_before_they_are_numbers(monkeypatch):
    moved = []

    def cpu(self, *args, **options):
        moved.append(self.shape)
        return self

    monkeypatch.setattr(torch.Tensor, "cpu", cpu)
    Head(3, 8, SMALL).predict(made_up())
    assert moved == [torch.Size([40])]


def test_a_head_is_the_same_whatever_else_draws_random_numbers():
    found = made_up()
    aim = Aim(found.numbers[:, 0], np.ones(40), np.arange(40) // 2)
    torch.manual_seed(1)
    first = train_head(found, aim, SMALL, 5)
    torch.manual_seed(2)
    second = train_head(found, aim, SMALL, 5)
    assert all(a.equal(b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    other = train_head(found, aim, SMALL, 6)
    assert not first.output.equal(other.output)


def test_the_rank_loss_is_the_sum_over_pairs_of_one_video_written_out():
    predicted = torch.tensor([[0.5], [1.0], [9.0]])
    scores = torch.tensor([[2.0], [0.0], [5.0]])
    found = rank_loss(predicted, scores, np.array([1, 1, 2]))
    assert float(found) == pytest.approx(2.0 * np.log1p(np.exp(0.5)))
    assert float(rank_loss(predicted, scores, np.array([1, 2, 3]))) == 0


def test_attention_looks_at_other_numbers_than_the_mean():
    found = made_up()
    mean = Head(3, 8, SMALL)
    attending = Head(3, 8, replace(SMALL, references=ATTENTION))
    attending.load_state_dict(mean.state_dict())
    assert not np.allclose(mean.predict(found), attending.predict(found))
    same = replace(found, attended=found.reference)
    assert np.allclose(mean.predict(same), attending.predict(same))


def test_several_heads_are_their_mean():
    found = made_up()
    one, other = Head(3, 8, SMALL), Head(3, 8, SMALL)
    expected = (one.predict(found) + other.predict(found)) / 2
    assert np.allclose(Heads((one, other)).predict(found), expected)


def test_what_is_not_defined_is_beaten_by_whatever_is():
    nan = float("nan")
    assert improves(0.1, [nan])
    assert not improves(nan, [0.1])
    assert not improves(0.1, [nan, 0.3])


def test_numbers_of_a_set_are_computed_once(tmp_path, monkeypatch):
    from analysis.metrics.batch import Batch
    from analysis.metrics.config import MetricConfig

    asked = []

    def counted(batch, context):
        asked.append(len(batch))
        return np.ones((len(batch), 2))

    monkeypatch.setattr(training, "counted_of", counted)
    monkeypatch.setattr(training, "signature", lambda *_: "s")
    context = MetricConfig(tmp_path).context()
    batch = Batch(["a", "b"], ["1", "2"], {"1": ["x"], "2": ["y"]}, {})
    for _ in range(2):
        assert training._kept_numbers(batch, context).shape == (2, 2)
    assert asked == [2]
    [kept] = (tmp_path / "numbers").iterdir()
    kept.write_bytes(b"half")
    training._kept_numbers(batch, context)
    training._kept_numbers(replace(batch, captions=["a", "c"]), context)
    assert asked == [2, 2, 2]
