"""Protocols are values: found by being there, and true to their scales."""

from __future__ import annotations

from pathlib import Path

import pytest

from hits.protocols import Scale, protocol_named, protocols
from hits.protocols.values import AnnotationProtocol, HitDefaults, Likert


def test_every_file_of_the_package_is_registered_direct_assessment_first():
    assert list(protocols()) == ["direct", "consistency"]


def test_an_unknown_protocol_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="one of direct, consistency, not 'guess'"):
        protocol_named("guess")


@pytest.mark.parametrize("name", protocols())
def test_every_protocol_has_its_template_and_every_question_its_template_and_module(name):
    protocol, root = protocol_named(name, fluency=True), Path(__file__).parents[2]
    assert (root / "templates" / protocol.template).is_file()
    for question in protocol.questions:
        assert (root / "templates" / question.template).is_file()
        assert (root / "static/js/questions" / f"{question.kind}.js").is_file()


@pytest.mark.parametrize(
    ("name", "answers", "wrong"),
    [
        ("direct", {"score": 0}, None),
        ("direct", {"score": 100}, None),
        ("direct", {"score": 101}, "score"),
        ("direct", {}, "score"),
        ("consistency", {"score": 5}, None),
        ("consistency", {"score": 0}, "score"),
        ("consistency", {"score": 6}, "score"),
    ],
)
def test_answers_are_held_against_the_scale(name, answers, wrong):
    found = protocol_named(name).misplaced(answers)
    assert (found and found.name) == wrong


def test_fluency_is_a_second_question_of_direct_assessment_alone():
    direct = protocol_named("direct", fluency=True)
    assert direct.misplaced({"score": 50}).name == "fluency"
    assert direct.misplaced({"score": 50, "fluency": 101}).name == "fluency"
    assert protocol_named("consistency", fluency=True) == protocol_named("consistency")


@pytest.mark.parametrize(("low", "high"), [(5, 5), (5, 1), (-1, 5)])
def test_a_scale_rises_from_0_or_above(low, high):
    with pytest.raises(ValueError, match="must rise"):
        Scale(low, high)


def test_the_answer_that_ranks_is_called_score():
    question = Likert("other", "Why?", ("no", "yes"))
    with pytest.raises(ValueError, match="called score"):
        AnnotationProtocol("x", "X", "", (question,), HitDefaults(10, 0, 0, 1))
