"""What a training goes on from: whole, of the same data, and without code in it."""

from __future__ import annotations

import pickle

import pytest

torch = pytest.importorskip("torch")

from analysis.learning.checkpoints import Checkpoints  # noqa: E402


@pytest.fixture
def checkpoints(tmp_path):
    return Checkpoints(tmp_path / "model", "this training")


def test_a_disk_that_fills_leaves_the_last_one_whole(checkpoints, tmp_path, monkeypatch):
    checkpoints.save({"step": 50, "weights": torch.ones(3)})
    written = torch.save

    def full(state, file):
        written({"key": "this training", "step": 100}, file)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(OSError, match="No space left"):
        checkpoints.save({"step": 100, "weights": torch.zeros(3)})
    assert checkpoints.load()["step"] == 50
    assert [path.name for path in tmp_path.iterdir()] == [".model.checkpoint"]


def test_what_another_training_left_is_passed_over(checkpoints, tmp_path):
    Checkpoints(tmp_path / "model", "another").save({"step": 50})
    assert checkpoints.load() is None


@pytest.mark.parametrize("content", [b"", b"half of it", pickle.dumps({"key": "this training"})])
def test_a_damaged_one_is_passed_over(checkpoints, content):
    checkpoints.path.write_bytes(content)
    assert checkpoints.load() is None


def test_code_in_it_is_never_run(checkpoints, tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "run"), "w"))

    torch.save({"key": "this training", "step": Evil()}, checkpoints.path)
    assert checkpoints.load() is None
    assert not (tmp_path / "run").exists()


def test_the_random_numbers_of_a_gpu_are_kept_and_taken_up_again(monkeypatch):
    from analysis.learning.checkpoints import random_states, restore_random

    taken = []
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: [torch.tensor([7, 7])])
    monkeypatch.setattr(torch.cuda, "set_rng_state_all", taken.append)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    kept = random_states()
    drawn = torch.rand(3)
    restore_random(kept)
    assert torch.rand(3).equal(drawn)
    assert taken[0][0].tolist() == [7, 7]
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    restore_random(kept)  # on a machine without one
    assert len(taken) == 1
