"""No video and no caption text on both sides, whatever the files call them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.learning.rated import RatedSet
from analysis.learning.splits import Split, apart, by_video, folds, leave_one_set_out
from analysis.metrics.batch import Batch, VideoFile
from analysis.metrics.learned.training_list import TrainingList, overlap, read_training_list

TEXTS = st.sampled_from(["a dog", "A dog.", "a cat", "two men talk", "rain", "a red car", "snow"])


def rated(name, captions, references, weight=1.0):
    videos = [f"v{at % len(references)}" for at in range(len(captions))]
    told = {f"v{at}": [text] for at, text in enumerate(references)}
    systems = [f"s{at % 2}" for at in range(len(captions))]
    return RatedSet(
        name, Batch(captions, videos, told, told), systems, np.arange(len(captions)) * 1.0, weight
    )


SETS = st.builds(
    rated,
    st.sampled_from(["2016", "2017", "2018"]),
    st.lists(TEXTS, min_size=1, max_size=12),
    st.lists(TEXTS, min_size=1, max_size=4, unique=True),
    st.sampled_from([1.0, 0.25]),
)


@given(st.lists(SETS, min_size=2, max_size=4), st.integers(0, 99))
def test_sides_have_nothing_in_common(sets, seed):
    for make in (
        lambda: leave_one_set_out(sets),
        lambda: [by_video(sets, np.random.default_rng(seed), 0.5)],
        lambda: folds(sets, np.random.default_rng(seed)),
    ):
        try:
            splits = make()
        except ValueError:
            continue  # nothing is left on a side, and it says so
        for split in splits:
            ours, theirs = ([one.batch for one in side] for side in (split.training, split.test))
            assert overlap(ours, theirs) == overlap(theirs, ours) == 0
            assert all(one.weight == 1 for one in split.test)


def test_the_same_video_under_another_number_is_known_by_its_references():
    one = rated("2016", ["a dog", "a cat"], ["rain", "snow"])
    other = rated("2017", ["two men talk", "a red car"], ["Snow!", "sun"])
    split = apart("2017", [one], [other])
    assert split.dropped == 1
    assert [part.batch.captions for part in split.training] == [["a dog"]]


def test_the_same_clip_under_another_name_is_known_by_its_bytes(tmp_path):
    (tmp_path / "1.mp4").write_bytes(b"a clip")
    (tmp_path / "2.mp4").write_bytes(b"a clip")
    one = rated("2016", ["a dog", "a cat"], ["rain", "snow"])
    other = rated("2017", ["two men talk", "a red car"], ["hail", "sun"])
    assert apart("2017", [one], [other]).dropped == 0
    copied = with_files(other, v0=tmp_path / "2.mp4", v1=tmp_path / "gone.mp4")
    split = apart(
        "2017", [with_files(one, v0=tmp_path / "1.mp4", v1=tmp_path / "away.mp4")], [copied]
    )
    assert [part.batch.captions for part in split.training] == [["a cat"]]
    (tmp_path / "training.json").write_bytes(TrainingList.of([copied.batch]).write())
    known = read_training_list(tmp_path / "training.json")
    assert known.seen(with_files(one, v0=tmp_path / "1.mp4").batch).tolist() == [True, False]


def with_files(one, **paths):
    files = {video: VideoFile.of(path) for video, path in paths.items()}
    return replace(one, batch=replace(one.batch, files=files))


def test_sides_that_share_a_caption_are_refused():
    one, other = rated("2016", ["a dog"], ["rain"]), rated("2017", ["A dog."], ["snow"])
    with pytest.raises(ValueError, match="held out"):
        Split("2017", (one,), (other,), 0)


def test_sets_of_one_name_are_held_out_together():
    sets = [
        rated("2016", ["a dog"], ["rain"]),
        rated("2016", ["a cat"], ["snow"], weight=0.25),
        rated("2017", ["two men talk"], ["sun"]),
    ]
    found = {split.held: split for split in leave_one_set_out(sets)}
    assert [one.name for one in found["2016"].training] == ["2017"]
    assert [one.weight for one in found["2017"].training] == [1.0, 0.25]


def test_a_training_list_knows_its_captions_again(tmp_path):
    batch = rated("2016", ["a dog", "a cat"], ["rain", "snow"]).batch
    (tmp_path / "training.json").write_bytes(TrainingList.of([batch]).write())
    known = read_training_list(tmp_path / "training.json")
    other = rated("x", ["A DOG", "sun", "a man"], ["hail", "mist", "snow"]).batch
    assert known.seen(other).tolist() == [True, False, True]
