"""Attention checks: read from campaign.toml, put into every HIT, and judged."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hits.composition.by_video import compose
from hits.composition.campaign import Captions
from hits.composition.shape import ATTENTION, DEGRADED, REPEAT, SYSTEM, Shape, VideoShape
from hits.protocols import protocol_named
from hits.protocols.expected import as_expected, missed
from tests.hits.test_importing_settings import read

CHECK = '[[attention]]\ntext = "Move it to the left end."\nexpect = { score = [0, 10] }\n'
MARKED = "A dog runs past a cat."


def composed(shape, checks, seed=7):
    video, system = np.indices((12, 3)).reshape(2, -1)
    texts = [f"system {s} says {v}" for v, s in zip(video, system, strict=True)]
    controls = video if isinstance(shape, VideoShape) else np.arange(12)
    said = texts if isinstance(shape, VideoShape) else [f"A control caption {v}" for v in range(12)]
    return compose(
        Captions(video, system),
        controls,
        said,
        rng=np.random.default_rng(seed),
        shape=shape,
        attention=[f"check {number}" for number in range(checks)],
    )


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 5),
    st.sampled_from([Shape(20, 2, 2), VideoShape(14, 2), VideoShape(4, 1)]),
    st.integers(0, 99),
)
def test_checks_are_put_between_what_is_there_without_them(checks, shape, seed):
    plain, made = composed(shape, 0, seed).layout, composed(shape, checks, seed)
    layout = made.layout
    kept = layout.kind != ATTENTION
    for column in ("hit", "kind", "caption"):
        assert np.array_equal(getattr(layout, column)[kept], getattr(plain, column))
    assert list(made.attention) == [
        text for text, _ in made.own_texts() if text.startswith("check")
    ]
    video = np.arange(36) // 3
    rows = zip(layout.hit, layout.position, layout.kind, layout.caption, strict=True)
    said = iter(made.attention)
    for _, hit in groupby(rows, key=lambda row: row[0]):
        of_hit = list(hit)
        assert [position for _, position, _, _ in of_hit] == list(range(len(of_hit)))
        there = [next(said) for _, _, kind, _ in of_hit if kind == ATTENTION]
        assert sorted(there) == [f"check {number}" for number in range(checks)]
        if isinstance(shape, VideoShape):
            shown = [key for key, _ in groupby(video[caption] for *_, caption in of_hit)]
            assert len(shown) == len(set(shown)), "a video stands on one page only"
    for row in np.flatnonzero(layout.original >= 0):
        first = np.flatnonzero(layout.hit == layout.hit[row])[0]
        original = first + layout.original[row]
        assert layout.kind[row] in (DEGRADED, REPEAT)
        assert layout.kind[original] in (SYSTEM, 1)
        assert layout.caption[original] == layout.caption[row]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("attention = 1", "at most 5 tables"),
        (CHECK * 2, "a text of its own"),
        (CHECK * 6, "at most 5 tables"),
        (CHECK.replace("expect", "wanted"), "the keys text and expect"),
        (CHECK.replace("Move it", "Move\\nit"), "in one line"),
        (CHECK.replace("[0, 10]", '"low"'), "expect for each"),
        (CHECK.replace("[0, 10]", "[10, 0]"), "expect for each"),
        (CHECK.replace("{ score = [0, 10] }", "{}"), "expect for each"),
        (CHECK.replace("[0, 10]", "[0, 101]"), "numbers from 0 to 100 for score"),
        (CHECK.replace("[0, 10]", '["left"]'), "which score is not"),
        (CHECK.replace("score", "detail"), "which detail is not"),
        ('protocol = "consistency"\n' + CHECK, "numbers from 1 to 5"),
        (
            'protocol = "esa"\n' + CHECK.replace("score = [0, 10]", 'marks = ["up"]'),
            "as they stand",
        ),
        ('protocol = "describe"\n' + CHECK, "nobody reads a caption"),
    ],
)
def test_a_check_that_cannot_be_asked_is_refused(tmp_path, content, said):
    _, faults = read(tmp_path, content)
    assert said in " ".join(map(str, faults))


def test_a_check_may_be_about_a_question_of_the_campaigns_own(tmp_path):
    slider = '[[sliders]]\nname = "detail"\ntext = "b"\nhigh = 10\nends = ["c", "d"]\n'
    found, faults = read(tmp_path, slider + CHECK.replace("score", "detail"))
    assert faults == []
    assert found.questions["attention"][0]["expect"] == {"detail": [0, 10]}


@pytest.mark.parametrize(
    ("answers", "wrong"),
    [
        ({"score": 1, "marks": [[2, 5, "wrong"]]}, ()),
        ({"score": 2, "marks": [[2, 10, "wrong"]]}, ("score", "marks")),
        ({"score": 1, "marks": []}, ("marks",)),
        ({"score": 1}, ("marks",)),
    ],
)
def test_what_was_missed_is_said_by_question(answers, wrong):
    expect = {"score": 1, "marks": ["dog"]}
    assert missed(protocol_named("factuality"), expect, answers, MARKED) == wrong


@pytest.mark.parametrize("protocol", ["esa", "mqm", "factuality"])
@pytest.mark.parametrize("words", [[], ["dog"], ["runs past", "cat"]])
def test_an_answer_as_expected_is_an_answer_that_misses_nothing(protocol, words):
    asked, expect = protocol_named(protocol), {"score": [2, 4], "marks": words}
    given = as_expected(asked, expect, MARKED)
    assert asked.objection(given, MARKED) is None
    assert missed(asked, expect, given, MARKED) == ()
    beside = {**given, "marks": [*given["marks"], [len(MARKED) + 1, len(MARKED) + 10, "x"]]}
    assert missed(asked, expect, beside, MARKED) == ("marks",)
