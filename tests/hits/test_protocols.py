"""Protocols are values: found by being there, and true to their scales."""

from __future__ import annotations

from pathlib import Path

import pytest

from hits.protocols import Scale, protocol_named, protocols


def test_every_file_of_the_package_is_registered_direct_assessment_first():
    assert list(protocols()) == ["direct", "consistency", "describe", "esa", "factuality", "mqm"]


def test_an_unknown_protocol_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"one of direct, consistency, .*, not 'guess'"):
        protocol_named("guess")


@pytest.mark.parametrize("name", protocols())
def test_every_protocol_has_its_template_and_every_question_its_template_and_module(name):
    protocol, root = protocol_named(name, fluency=True), Path(__file__).parents[2]
    assert (root / "templates" / protocol.template).is_file()
    for question in protocol.questions:
        assert (root / "templates/annotations/questions" / f"{question.kind}.html").is_file()
        assert (root / "static/js/questions" / f"{question.kind}.js").is_file()


@pytest.mark.parametrize(
    ("name", "answers", "said"),
    [
        ("direct", {"score": 0}, ""),
        ("direct", {"score": 100}, ""),
        ("direct", {"score": 101}, "whole number"),
        ("direct", {"score": True}, "whole number"),
        ("direct", {}, "other questions"),
        ("direct", {"score": 1, "fluency": 1}, "other questions"),
        ("consistency", {"score": 5}, ""),
        ("consistency", {"score": 0}, "whole number"),
        ("consistency", {"score": 6}, "whole number"),
        ("describe", {"caption": {"text": "A dog.", "ticks": ["who"]}}, ""),
        ("describe", {"caption": {"text": "", "ticks": []}}, "in one line"),
        ("factuality", {"marks": [[0, 1, "wrong"]], "score": 5}, ""),
        ("factuality", {"marks": [[0, 2, "wrong"]], "score": 5}, "with a word"),
        ("factuality", {"marks": [], "score": 6}, "whole number"),
    ],
)
def test_answers_are_held_against_the_questions(name, answers, said):
    found = protocol_named(name).objection(answers, "A dog runs.")
    assert said in found.sentence if said else found is None


def test_fluency_is_a_second_question_of_direct_assessment_alone():
    direct = protocol_named("direct", fluency=True)
    assert direct.objection({"score": 50}) is not None
    assert direct.objection({"score": 50, "fluency": 101}) is not None
    assert direct.objection({"score": 50, "fluency": 100}) is None
    assert protocol_named("consistency", fluency=True) == protocol_named("consistency")


@pytest.mark.parametrize(("low", "high"), [(5, 5), (5, 1), (-1, 5)])
def test_a_scale_rises_from_0_or_above(low, high):
    with pytest.raises(ValueError, match="must rise"):
        Scale(low, high)


def test_a_protocol_without_a_score_ranks_nothing():
    assert protocol_named("factuality").scale == Scale(1, 5, "ordinal")
    with pytest.raises(ValueError, match="ranks no systems"):
        _ = protocol_named("describe").scale
