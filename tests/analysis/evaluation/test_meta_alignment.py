"""Rows that belong together, and rows that only look it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.evaluation import trecvid
from analysis.evaluation.alignment import check_alignment
from analysis.evaluation.human import HumanScores
from analysis.evaluation.inputs import Inputs, Misaligned
from analysis.evaluation.joining import join, shifted
from analysis.evaluation.scores import score_table


@pytest.mark.parametrize("shift", [-2, -1, 0, 1, 2])
def test_it_finds_the_shift_at_which_scores_and_metrics_go_together(scores, shift):
    human, metrics = scores
    moved = replace(human, frame=shifted(human.frame, 10 - shift))
    there = replace(metrics, frame=shifted(metrics.frame, 10))
    found = check_alignment(moved, there.only(["close", "far"]))
    assert found.found == shift
    assert found.metric == "close"


def test_nothing_stands_out_when_scores_and_metrics_have_nothing_in_common(scores):
    human, metrics = scores
    rng = np.random.default_rng(0)
    noise = metrics.with_columns(
        {name: rng.normal(size=len(metrics.frame)) for name in metrics.names}
    )
    assert check_alignment(human, noise).found is None


def test_videos_that_are_not_numbered_are_not_shifted():
    table = score_table(["a", "b", "c"], ["A"] * 3, {"m": [1.0, 2, 3]})
    assert check_alignment(table, table).rows == ()
    with pytest.raises(ValueError, match="named by whole numbers"):
        shifted(table.frame, 1)


def test_texts_on_both_sides_decide():
    texts = ["a dog", "a cat", "a bird", "a man", "a car"]
    human = score_table([str(n) for n in range(5)], ["A"] * 5, {"z": range(5)}, texts=texts)
    metrics = score_table(
        [str(n + 1) for n in range(5)], ["A"] * 5, {"m": [1, 1, 1, 1, 2]},
        texts=[text.upper() + "." for text in texts],
    )  # fmt: skip
    found = check_alignment(human, metrics)
    assert found.found == 1
    assert dict(found.same_text)[1] == 1.0


def inputs_one_line_late(scores):
    human, metrics = scores
    late = replace(human, frame=shifted(human.frame, 1))
    return Inputs(HumanScores(late), metrics.only(["close"]))


def test_it_stops_where_a_shift_is_clearly_better(scores):
    with pytest.raises(Misaligned, match="1 line earlier") as stopped:
        inputs_one_line_late(scores).aligned(None)
    assert stopped.value.shift == -1


def test_an_accepted_shift_is_used(scores):
    inputs = inputs_one_line_late(scores)
    for shift in (-1, "auto"):
        joined, _, used = inputs.aligned(shift)
        assert used == -1
        assert np.corrcoef(joined.human["z"], joined.metrics["close"])[0, 1] > 0.8
    joined, _, used = inputs.aligned(0)
    assert used == 0
    assert len(joined) < 240


def test_captions_on_one_side_only_are_counted_and_listed(scores):
    human, metrics = scores
    joined = join(human.of_systems(["A", "B"]), metrics.without_systems(["A"]))
    assert set(joined.systems) == {"B"}
    assert len(joined.only_human) == 60
    assert len(joined.only_metrics) == 120
    assert any("60 captions have a human score but no metric score, among them all of A" in note
               for note in joined.notes)  # fmt: skip


def test_it_refuses_tables_with_nothing_in_common(scores):
    human, metrics = scores
    other = replace(human, frame=shifted(human.frame, 1000))
    with pytest.raises(ValueError, match=r"No caption has a human score and.*'1001'"):
        join(other, metrics)


@pytest.fixture
def folder(tmp_path):
    lines = ["a dog runs", "a cat sleeps", "two men talk", "a car drives"]
    for kind, names in (("systems", "AB"), ("references", "H")):
        (tmp_path / kind).mkdir()
        for name in names:
            text = "\n".join(f"{line} {name}" for line in lines) + "\n"
            (tmp_path / kind / f"trecvid16-vtt.en-en.{name}").write_text(text)
    (tmp_path / "ad-seg-scores-en-en.csv").write_text("SYS,SID,RAW.SCR,Z.SCR,N\nA,1,70,0.5,1\n")
    return tmp_path


def test_a_trecvid_folder_is_read_with_lines_counted_from_0(folder):
    assert trecvid.is_trecvid(folder)
    captions = trecvid.read_captions(folder)
    assert captions.videos[:4] == ["0", "1", "2", "3"]
    assert captions.text_series()["1", "B"] == "a cat sleeps B"
    assert captions.references["3"] == {"H": "a car drives H"}
    assert trecvid.read_human(folder).frame.index.tolist() == [("1", "A")]


def cut(folder, line):
    for path in (folder / "systems").iterdir():
        lines = path.read_text().splitlines()
        path.write_text("\n".join(lines[:line] + lines[line + 1 :]) + "\n")


def test_it_refuses_systems_and_references_of_different_lengths(folder):
    cut(folder, 1)
    with pytest.raises(ValueError, match=r"3 lines and the references 4.*--whole"):
        trecvid.read_captions(folder)


def test_missing_lines_are_found_by_the_texts_of_a_whole_folder(folder, tmp_path_factory):
    whole = tmp_path_factory.mktemp("whole")
    (folder / "systems").rename(whole / "systems")
    (folder / "systems").mkdir()
    for path in (whole / "systems").iterdir():
        (folder / "systems" / path.name).write_text(path.read_text())
    cut(folder, 1)
    captions = trecvid.read_captions(folder, whole)
    assert captions.text_series()["1", "A"] == "two men talk A"
    assert captions.references["1"] == {"H": "two men talk H"}
    assert "1 lines of the references" in captions.notes[0]


def test_lines_of_another_folder_are_refused():
    with pytest.raises(ValueError, match="--whole does not hold the lines"):
        trecvid.matching_lines({"A": ["x", "q"]}, {"A": ["x", "y"]})


def test_line_labels_are_text_after_a_shift():
    table = score_table(["1"], ["A"], {"m": [1.0]})
    assert isinstance(shifted(table.frame, 1).index, pd.MultiIndex)
    assert shifted(table.frame, 1).index.tolist() == [("2", "A")]
