"""Marked paragraphs: how much of them is wrong, as factvc-2023 counts it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pandas as pd
import pytest
from django.core.management import CommandError, call_command

from analysis.evaluation.human import read_human

PUBLISHED = Path(os.environ.get("DA_PUBLISHED", Path(__file__).parents[3] / "shared" / "published"))
MARKED = {
    "v1": {
        "A": {"paragraph_score": 5, "sentences": ["add the salt .", "stir"]},
        "B": {"paragraph_score": 2, "sentences": ["add [the egg] . [now]", "stir"]},
    },
    "v2": {
        "A": {"paragraph_score": 4, "sentences": ["cut [an] onion"]},
        "B": {"paragraph_score": 1, "sentences": ["[cut]", "[fry]"]},
    },
}


def analysed(content, folder):
    path = folder / "factuality_annotation.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    call_command("analyse", str(path), "--out", str(folder / "out"), stdout=io.StringIO())
    return {name: pd.read_csv(folder / "out" / f"{name}.csv") for name in FILES}


FILES = ("errors", "systems", "human")


def test_paragraphs_sentences_and_words_are_counted(tmp_path):
    found = analysed(MARKED, tmp_path)
    errors = found["errors"].set_index("level")
    assert list(found["errors"]) == ["level", "units", "wrong", "share"]
    assert errors[["units", "wrong"]].T.to_dict("list") == {
        "paragraph": [4, 3],
        "sentence": [7, 4],
        "word": [14, 6],
    }
    assert list(found["systems"]["system"]) == ["A", "B"]
    assert list(found["systems"])[:4] == ["system", "paragraph", "sentence", "word"]
    human = found["human"].set_index(["video", "system"])
    assert human.loc["v1", "B"].tolist() == [2, 0.5, 1 - 3 / 5]


def test_phrases_marked_twice_get_categories_from_a_person(tmp_path):
    said = ["[The man] adds", "[UNK]", "the [the  man] and [unk] and [once]", "[red] is [RED]"]
    marked = {"v": {"A": {"paragraph_score": 2, "sentences": said}}}
    analysed(marked, tmp_path)
    sheet = tmp_path / "out" / "phrases.csv"
    found = pd.read_csv(sheet, keep_default_na=False)
    assert found.values.tolist() == [
        ["red", 2, "adjective", "no"], ["the man", 2, "person", "no"],
        ["unk", 2, "poor generation", "no"],
    ]  # fmt: skip
    found["category"] = ["colour", "", "other"]
    found.to_csv(tmp_path / "given.csv", index=False)
    call_command(
        "analyse", str(tmp_path / "factuality_annotation.json"), "--categories",
        str(tmp_path / "given.csv"), "--out", str(tmp_path / "out"), stdout=io.StringIO(),
    )  # fmt: skip
    shares = pd.read_csv(tmp_path / "out" / "categories.csv").round(3)
    assert shares[shares["marks"] > 0].values.tolist() == [
        ["person", 1, 2, 0.333], ["other", 1, 2, 0.333], ["colour", 1, 2, 0.333],
    ]  # fmt: skip


def test_correlate_takes_what_it_writes(tmp_path):
    videos = {f"v{n}": MARKED["v1"] if n % 2 else MARKED["v2"] for n in range(4)}
    human = analysed(videos, tmp_path)["human"]
    human.assign(metric=range(len(human)))[["video", "system", "metric"]].to_csv(
        tmp_path / "scores.csv", index=False
    )
    call_command(
        "correlate",
        human=tmp_path / "out" / "human.csv",
        metrics=[tmp_path / "scores.csv"],
        out=tmp_path / "meta",
        draws=5,
        placebo=0,
        stdout=io.StringIO(),
        stderr=io.StringIO(),
    )
    held = pd.read_csv(tmp_path / "meta" / "correlations.csv")
    assert set(held["human"]) == {"paragraph", "sentence", "word"}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('{\n "v1": {]', "line 2"),
        ({"v1": {"A": {"paragraph_score": 7, "sentences": ["x"]}}}, "system 'A'"),
        ({"v1": {"A": {"paragraph_score": 72, "sentences": ["x"]}}}, "another --protocol"),
        ({"v1": {"A": {"paragraph_score": 3, "sentences": ["x"], "is_marked": 1}}}, "is_marked"),
        ({"v1": {"A": {"paragraph_score": 3, "sentences": ["a [b"]}}}, "sentence 1"),
        ({"v1": {"A": {"paragraph_score": 3, "sentences": []}}}, "sentences"),
        ({"v1": ["A"]}, "video 'v1'"),
        ({}, "no paragraphs"),
    ],
)
def test_a_fault_is_told_with_its_place_and_nothing_is_written(tmp_path, content, fault):
    with pytest.raises(CommandError, match=r"factuality_annotation\.json") as caught:
        analysed(content, tmp_path)
    assert fault in str(caught.value)
    assert caught.value.returncode == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.published
def test_the_published_annotation_has_the_printed_shares(tmp_path):
    path = PUBLISHED / "youcook2-fact" / "factuality_annotation.json"
    if not path.is_file():
        pytest.skip(f"PUBLISHED DATA MISSING: {path}")
    errors = analysed(path.read_text(), tmp_path)["errors"]
    # Printed in the paper, and stated in docs/papers.md.
    assert errors["units"].tolist() == [600, 4_080, 29_879]
    assert (100 * errors["share"]).round(1).tolist() == [98.3, 59.6, 16.5]
    published = pd.read_csv(path.with_name("human.csv"))
    ours = pd.read_csv(tmp_path / "out" / "human.csv")
    ours["video"] = ours["video"].str.removeprefix("'")  # what a spreadsheet would run is defused
    both = published.merge(ours, on=["video", "system"])
    assert len(both) == len(published)
    for level in ("sentence", "word"):
        assert (both[f"{level}_y"] - 1 - both[f"{level}_x"]).abs().max() < 1e-9


LONG = """annotator,video,system,level,sentence,word,value
ann,v1,A,paragraph,,,2
ann,v1,A,sentence,0,,1
ann,v1,A,word,0,0,0
ann,v1,A,word,0,1,1
ann,v1,A,sentence,1,,0
ann,v1,A,word,1,0,0
ben,v1,A,paragraph,,,5
ben,v1,A,sentence,0,,0
ben,v1,A,word,0,0,0
ben,v1,A,word,0,1,0
ben,v1,A,sentence,1,,0
ben,v1,A,word,1,0,0
"""


def analyse_long(tmp_path, content):
    path = tmp_path / "marks.csv"
    path.write_text(content, "utf-8")
    call_command("analyse", str(path), "--out", str(tmp_path / "out"), stdout=io.StringIO())


def test_everybodys_answers_give_errors_and_agreement(tmp_path):
    """Sentences 1, 0 and 0, 0: all that differs is what one of the four says."""
    analyse_long(tmp_path, LONG)
    errors = pd.read_csv(tmp_path / "out" / "errors.csv")
    assert list(errors) == ["level", "units", "wrong", "share"]
    assert errors["units"].tolist() == [1, 2, 3]
    assert errors["wrong"].tolist() == [1, 0, 0]
    agreement = pd.read_csv(tmp_path / "out" / "agreement.csv").set_index("level")
    assert agreement.loc["sentence", "alpha"] == pytest.approx(1 - (2 / 4) / (2 * 1 * 3 / (4 * 3)))
    assert agreement["units"].to_dict() == {"paragraph": 1, "sentence": 2, "word": 3}
    pairs = pd.read_csv(tmp_path / "out" / "pairs.csv")
    assert pairs[["first", "second", "f1", "words"]].values.tolist() == [["ann", "ben", 0.0, 3]]
    assert not (tmp_path / "out" / "phrases.csv").exists()
    human = read_human(tmp_path / "marks.csv")
    assert human.marks == {("v1", "A"): (False, False, False)}
    assert human.texts is None


@pytest.mark.parametrize(
    ("before", "after", "line", "said"),
    [
        ("ann,v1,A,paragraph,,,2", "ann,v1,A,paragraph,,,6", 2, "'6' is not valid"),
        ("ann,v1,A,paragraph,,,2", "ann,v1,A,caption,,,2", 2, "no level 'caption'"),
        ("ann,v1,A,paragraph,,,2\n", "", 2, "level of the paragraph is missing"),
        ("ann,v1,A,sentence,0,,1", "ann,v1,A,sentence,0,,0", 2, "right against its words"),
        ("ann,v1,A,sentence,1,,0", "ann,v1,A,sentence,1,,1", 2, "wrong against its words"),
        ("ann,v1,A,sentence,1,,0", "ann,v1,A,sentence,1,0,0", 6, "sentence or the word"),
        ("ann,v1,A,sentence,1,,0\n", "", 2, "A word has no sentence"),
        ("ann,v1,A,word,0,1,1", "ann,v1,A,word,0,1,yes", 5, "'yes' is not valid"),
        ("ann,v1,A,word,0,1,1", "ann,v1,A,word,0,0,1", 5, "occurs twice"),
        ("ann,v1,A,word,0,1,1", "ann,v1,A,word,0,2,1", 2, "is missing"),
        ("ben,v1,A,word,0,1,0\n", "", 8, "judged other words"),
    ],
)
def test_answers_that_cannot_be_right_are_refused_with_their_line(
    tmp_path, before, after, line, said
):
    assert LONG.count(before) == 1
    with pytest.raises(CommandError, match=said) as refusal:
        analyse_long(tmp_path, LONG.replace(before, after))
    assert f"line {line}" in str(refusal.value)
    assert not (tmp_path / "out").exists()
