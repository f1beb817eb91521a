"""Marks and levels of three people put together, as computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from analysis.results.factuality import factuality_tables, something_marked
from analysis.results.marked import (
    Judged,
    agreements,
    annotated,
    long_table,
    pair_f1,
    paragraphs,
)
from analysis.results.phrases import installed_tagger, phrases, suggested_category

TEXT = "Add the egg. Stir slowly."  # words at 0–3, 4–7, 8–11; 13–17, 18–24
ANN = Judged("ann", "v1", "A", TEXT, 2, ((8, 11), (13, 24)))
BEN = Judged("ben", "v1", "A", TEXT, 4, ((8, 11),))
CID = Judged("cid", "v1", "A", TEXT, 5, ())
CROWD = [ANN, BEN, CID]


def test_median_and_majority():
    [paragraph] = paragraphs(CROWD)
    assert paragraph.score == 4
    assert [(one.words, one.wrong, one.is_wrong) for one in paragraph.sentences] == [
        (3, 1, True),
        (2, 0, False),
    ]


def test_a_tie_is_no_majority():
    [paragraph] = paragraphs([BEN, CID])
    assert paragraph.score == 4.5
    assert not any(one.is_wrong for one in paragraph.sentences)


def test_the_authors_file_has_what_most_marked_in_brackets():
    assert annotated(CROWD) == {
        "v1": {"A": {"paragraph_score": 4, "sentences": ["Add the [egg]", "Stir slowly"]}}
    }
    assert annotated([ANN])["v1"]["A"]["sentences"] == ["Add the [egg]", "[Stir slowly]"]


def test_agreement_at_three_levels():
    """Two units of sentences: 1, 1, 0 and 1, 0, 0. Observed 2/3 of pairs differ; expected 3/5."""
    found = {each.level: each for each in agreements(CROWD)}
    assert {name: each.units for name, each in found.items()} == {
        "paragraph": 1,
        "sentence": 2,
        "word": 5,
    }
    assert found["sentence"].alpha == pytest.approx(1 - (2 / 3) / (3 / 5))
    # Words: 0 0 2 | 1 1 marks of three. Observed 3 · (2/3) / 5; expected 2 · 4 · 11 / (15 · 14).
    assert found["word"].alpha == pytest.approx(1 - (2 / 5) / (2 * 4 * 11 / 210))


def test_pairs_share_what_both_marked():
    first, second, third = pair_f1(CROWD)
    assert (first.first, first.second, first.words) == ("ann", "ben", 5)
    assert first.f1 == pytest.approx(2 * 1 / (3 + 1))
    assert second.f1 == third.f1 == 0
    assert math.isnan(pair_f1([CID, Judged("dot", "v1", "A", TEXT, 5, ())])[0].f1)


def test_phrases_are_counted_whatever_their_case():
    marked = ["egg", "stir slowly", "egg", "EGG"]
    assert [(one.text, one.marks) for one in phrases(marked)] == [("egg", 3)]
    assert [one.text for one in phrases(marked, least=1)] == ["egg", "stir slowly"]


def test_categories_follow_parts_of_speech_where_spacy_is_installed():
    pytest.importorskip("spacy")
    said = ["wooden", "wildly spins", "the building", "the man spins"]
    tagged = [suggested_category(each, installed_tagger()) for each in said]
    assert tagged == ["adjective", "action", "object", "person"]
    listed = [suggested_category(each) for each in said]
    assert listed == ["object", "object", "action", "person"]


def test_every_answer_is_a_row():
    table = long_table([ANN])
    assert list(table) == ["annotator", "video", "system", "level", "sentence", "word", "value"]
    assert list(table["level"]) == [
        "paragraph",
        "sentence",
        *["word"] * 3,
        "sentence",
        *["word"] * 2,
    ]
    assert list(table["value"]) == [2, 1, 0, 0, 1, 1, 1, 1]
    assert all(len(column) == 0 for column in long_table([]).values())


def test_brackets_of_a_caption_are_not_read_as_marks():
    judged = Judged("ann", "v1", "A", "Add [unk] salt.", 3, ((10, 14),))
    [sentence] = annotated([judged])["v1"]["A"]["sentences"]
    assert sentence == "Add (unk) [salt]"


def test_chinese_is_marked_by_the_character():
    judged = Judged("ann", "v1", "A", "狗在跑。猫睡了。", 3, ((1, 3),))
    assert judged.words == [[False, True, True], [False, False, False]]
    assert annotated([judged])["v1"]["A"]["sentences"] == ["狗 [在 跑]", "猫 睡 了"]


def test_on_a_long_scale_a_caption_is_wrong_when_most_mark_something():
    """Nobody gives 100: by the level, both would be wrong."""
    said = [("A", ((8, 11),), ("minor",)), ("A", (), ("minor",)), ("A", (), ()), ("B", (), ())]
    judged = [
        Judged(str(n), "v1", system, TEXT, 95, marks, labels)
        for n, (system, marks, labels) in enumerate(said)
    ]
    tables = factuality_tables(
        paragraphs(judged), rng=np.random.default_rng(0), draws=10, is_wrong=something_marked
    )
    assert tables["errors"]["wrong"].tolist() == [1, 0, 0]
    systems = dict(
        zip(tables["systems"]["system"], tables["systems"]["paragraph_wrong"], strict=True)
    )
    assert systems == {"A": 1, "B": 0}
