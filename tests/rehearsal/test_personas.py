"""Simulated annotators: drawn as asked, answering as their persona says."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehearsal.people.personas import HABITS, Persona, draw_personas, parse_mix, respond


def rng(seed=1):
    return np.random.default_rng(seed)


def scores(persona, qualities, seed=1):
    generator = rng(seed)
    return [respond(persona, q, seconds=4.0, rng=generator).score for q in qualities]


@pytest.mark.parametrize(
    "text",
    ["", "honest", "honest=1.1", "honest=0.5", "kind=1", "honest=x", "honest=-1,random=2",
     "honest=nan"],
)  # fmt: skip
def test_it_refuses_a_mix_that_is_none(text):
    with pytest.raises(ValueError, match="mix"):
        parse_mix(text)


def test_it_reads_the_mix_of_the_manual():
    mix = parse_mix("honest=0.7,careless=0.15,random=0.1,constant=0.05")
    assert list(mix) == list(HABITS)


def test_there_are_as_many_of_each_habit_as_the_mix_says():
    mix = parse_mix("honest=0.7,careless=0.15,random=0.1,constant=0.05")
    habits = Counter(persona.habit for persona in draw_personas(20, mix, rng()))
    assert habits == {"honest": 14, "careless": 3, "random": 2, "constant": 1}


@given(st.integers(1, 60), st.integers(0, 2**32))
def test_everybody_asked_for_is_drawn_whatever_the_rounding(count, seed):
    mix = {"honest": 1 / 3, "random": 1 / 3, "constant": 1 / 3}
    personas = draw_personas(count, mix, rng(seed))
    assert len(personas) == count
    numbers = Counter(persona.habit for persona in personas)
    assert max(numbers.values()) - min(numbers[habit] for habit in mix) <= 1


def test_it_refuses_nobody_at_all():
    with pytest.raises(ValueError, match="count"):
        draw_personas(0, {"honest": 1.0}, rng())


def test_the_same_seed_draws_the_same_people():
    mix = {"honest": 0.5, "careless": 0.5}
    assert draw_personas(9, mix, rng(5)) == draw_personas(9, mix, rng(5))


@given(
    st.sampled_from(HABITS),
    st.floats(0, 1),
    st.floats(-60, 60),
    st.floats(0, 2),
    st.floats(0, 40),
    st.integers(0, 2**32),
)
def test_every_score_is_a_whole_number_from_0_to_100(habit, quality, bias, scale, noise, seed):
    persona = Persona(habit, bias, scale, noise)
    response = respond(persona, quality, seconds=4.0, rng=rng(seed))
    assert isinstance(response.score, int)
    assert 0 <= response.score <= 100
    assert response.seconds >= response.watched >= 0


def test_an_honest_annotators_bias_and_scale_can_be_found_again():
    """A straight line through many answers gives back what the persona was made with."""
    qualities = rng(2).uniform(0.2, 0.8, 4000)
    answers = scores(Persona("honest", bias=6.0, scale=0.8, noise=5.0), qualities)
    slope, intercept = np.polyfit(100 * qualities, answers, 1)
    assert slope == pytest.approx(0.8, abs=0.02)
    assert intercept == pytest.approx(50 + 6 - 0.8 * 50, abs=1)


def test_a_random_annotator_does_not_look():
    qualities = np.repeat([0.1, 0.9], 3000)
    answers = np.array(scores(Persona("random"), qualities))
    assert answers[:3000].mean() == pytest.approx(answers[3000:].mean(), abs=3)
    assert np.histogram(answers, bins=[0, 25, 50, 75, 101])[0].min() > 1200


def test_a_constant_annotator_gives_one_score():
    assert len(set(scores(draw_personas(1, {"constant": 1.0}, rng())[0], [0.0, 0.5, 1.0]))) == 1


def test_honest_annotators_watch_and_others_often_do_not():
    honest = respond(Persona("honest"), 0.5, seconds=4.0, rng=rng())
    random = respond(Persona("random"), 0.5, seconds=4.0, rng=rng())
    assert honest.watched == 4.0
    assert random.watched < 2.0
