"""Tables of scores as people write them."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from analysis.evaluation.captions import read_captions
from analysis.evaluation.reading import read_scores
from analysis.evaluation.scores import score_table


def written(tmp_path, text, name="scores.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_wide_and_long_files_hold_the_same_table(tmp_path):
    wide = read_scores(written(tmp_path, "video,system,bleu4,cider\n1,A,.1,.5\n2,A,.2,\n"))
    long = read_scores(
        written(
            tmp_path,
            "video,system,metric,value\n1,A,bleu4,.1\n1,A,cider,.5\n2,A,bleu4,.2\n2,A,cider,\n",
            "long.csv",
        )
    )
    pd.testing.assert_frame_equal(wide.frame, long.frame, check_names=False)


def test_parquet_is_the_same_as_csv(tmp_path):
    path = tmp_path / "scores.parquet"
    pd.DataFrame({"video": [1, 2], "system": ["A", "A"], "z": [0.5, -1.0]}).to_parquet(path)
    table = read_scores(path)
    assert table.frame["z"].to_dict() == {("1", "A"): 0.5, ("2", "A"): -1.0}


def test_it_understands_the_files_of_analyse_and_of_the_authors(tmp_path):
    ours = read_scores(written(tmp_path, "system,item,raw,z,n\nA,v1,70,0.5,15\n"))
    theirs = read_scores(
        written(tmp_path, "SYS,SID,RAW.SCR,Z.SCR,N,HIT\nA,7,70,0.5,15,0\n", "t.csv")
    )
    assert ours.names == theirs.names == ["raw", "z"]
    assert theirs.frame.index.tolist() == [("7", "A")]


def test_labels_keep_their_zeros_and_captions_are_no_scores(tmp_path):
    table = read_scores(written(tmp_path, 'video,system,caption,z\n007,A,"a man, a dog",1\n'))
    assert table.frame.index.tolist() == [("007", "A")]
    assert table.texts.tolist() == ["a man, a dog"]


def test_metrics_keep_the_names_they_have_in_the_file(tmp_path):
    table = read_scores(written(tmp_path, "Video,SYSTEM,EMScore, CIDEr \n1,A,.5,.6\n"))
    assert table.names == ["EMScore", "CIDEr"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("video,z\n1,2\n", "There is no column 'system'"),
        ("video,system,z\n1,A,high\n2,A,1\n", "line 2: z 'high' is not a number"),
        ("video,system,z\n,A,1\n", "line 2: video is empty"),
        ("video,system,z\n1,A,1\n1,A,2\n", "1 caption has two rows with different scores"),
        ("video,system,z\n", "There are no rows"),
        ("", "The file is empty"),
        ("video,system,z\n1,A,1,2\n2,A,3,4\n", "has 4 cells, and the header 3"),
        ("video,system,z\n1,A,good\n", "no column of scores.*; the column z holds no numbers"),
        ("video,system,caption\n1,A,a dog\n", "no column of scores"),
        ("video,system,z,z\n1,A,1,2\n", "'z' occurs twice"),
        (
            "video,system,metric,value\n1,A,cider,1\n1,A,cider,2\n",
            "values occur twice and differ; the first is cider",
        ),
    ],
)
def test_it_refuses_with_a_sentence(tmp_path, text, said):
    with pytest.raises(ValueError, match=said):
        read_scores(written(tmp_path, text))


def test_equal_rows_count_once_and_that_is_said(tmp_path):
    table = read_scores(written(tmp_path, "video,system,z\n1,A,1\n1,A,1\n2,A,3\n"))
    assert len(table.frame) == 2
    assert "1 row is there twice" in table.notes[0]


def test_infinite_scores_are_missing_and_counted():
    table = score_table(["1", "2"], ["A", "A"], {"m": [float("inf"), 1.0]})
    assert table.frame["m"].isna().tolist() == [True, False]
    assert "1 caption has an infinite value of m" in table.notes[0]


def test_coco_files_hold_references_and_the_captions_of_a_system(tmp_path):
    refs = written(
        tmp_path,
        json.dumps({"annotations": [{"image_id": 1, "caption": "a dog"},
                                    {"image_id": 1, "caption": "a puppy runs"}]}),
        "refs.json",
    )  # fmt: skip
    results = written(tmp_path, json.dumps([{"image_id": 1, "caption": "a cat"}]), "mine.json")
    captions = read_captions([results], refs)
    assert (captions.videos, captions.systems, captions.texts) == (["1"], ["mine"], ["a cat"])
    assert captions.references == {"1": {"1": "a dog", "2": "a puppy runs"}}


@pytest.mark.parametrize("content", ["{", "[]", '[{"caption": "a dog"}]', '{"images": []}'])
def test_it_refuses_json_that_is_not_coco(tmp_path, content):
    with pytest.raises(ValueError, match=r"bad\.json"):
        read_captions([written(tmp_path, content, "bad.json")], None)


def test_a_system_that_is_a_set_of_references_is_not_compared_with_itself(tmp_path):
    captions = written(tmp_path, "video,system,caption\n1,human,a dog\n1,A,a cat\n", "c.csv")
    refs = written(tmp_path, "video,source,caption\n1,h,a dog\n", "r.csv")
    found = read_captions([captions], refs)
    assert found.systems == ["A"]
    assert "compared with themselves" in found.notes[0]


def test_it_refuses_two_captions_of_one_video_by_one_system(tmp_path):
    captions = written(tmp_path, "video,system,caption\n1,A,a dog\n1,A,a cat\n", "c.csv")
    with pytest.raises(ValueError, match="'A' has a caption of '1' already"):
        read_captions([captions], None)
