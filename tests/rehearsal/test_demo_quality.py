"""The truth of the demo: better captions score higher, tampered ones lower."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hits.degradation import degrade
from rehearsal.demo import Actor, Scene, Story, caption, judge, quality, read, scene

seeds = st.integers(0, 2**40)
CAT = Story(
    actors=(Actor("cat", 1, "black", "cross", "left"), Actor("bird", 2, "red", "circle")),
    place="street",
    light="night",
    weather="rain",
    landmark="tree",
)
PLAIN = Scene(1, CAT, 5.0)


def told(**changes: Any) -> Story:
    """The story of the cat with its first actor changed."""
    return replace(CAT, actors=(replace(CAT.actors[0], **changes), CAT.actors[1]))


@given(seeds)
def test_the_whole_truth_is_perfect(seed):
    assert quality(scene(seed).story, scene(seed).story) == 1


@given(seeds, st.text())
def test_any_text_gets_a_score_from_0_to_1(seed, text):
    assert 0 <= judge(scene(seed), text) <= 1


def test_the_captions_of_other_scenes_fit_badly():
    scenes = [scene(seed) for seed in range(40)]
    texts = [caption(shown, "human-a").text for shown in scenes]
    scores = np.array([[judge(shown, text) for text in texts] for shown in scenes])
    own, others = scores.diagonal()[:, None], scores[~np.eye(40, dtype=bool)].reshape(40, 39)
    assert np.mean(own > others) > 0.99
    assert own.mean() > 0.9
    assert others.mean() < 0.3


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "dog"},
        {"colour": "white"},
        {"motion": "jump", "heading": None},
        {"heading": "right"},
        {"count": 3},
    ],
)
def test_a_wrong_detail_costs_more_than_a_missing_one(changes):
    missing = {name: None for name in changes if name not in ("kind", "count")}
    wrong = quality(CAT, told(**changes))
    gap = quality(CAT, told(**missing)) if missing else 1.0
    assert wrong < gap <= 1


def test_who_and_what_weigh_more_than_colour_and_direction():
    assert quality(CAT, told(kind="dog")) < quality(CAT, told(colour="white"))
    assert quality(CAT, told(motion="jump")) < quality(CAT, told(heading="right"))


def test_inventing_somebody_costs_more_than_forgetting_somebody():
    forgotten = replace(CAT, actors=CAT.actors[:1])
    invented = replace(CAT, actors=(*CAT.actors, Actor("bus", 1, "green", "cross", "left")))
    assert quality(CAT, invented) < quality(CAT, forgotten) < 1


def test_the_order_of_actors_does_not_matter():
    assert quality(CAT, replace(CAT, actors=CAT.actors[::-1])) == 1


def test_a_text_that_names_a_hundred_things_is_judged_too():
    crowd = " and ".join(["a red bus drives past"] * 100)
    assert 0 < judge(PLAIN, f"A black cat walks to the left and {crowd}.") < 0.1


def test_a_family_name_counts_for_something():
    animal, vehicle = told(kind="animal"), told(kind="vehicle")
    assert quality(CAT, vehicle) < quality(CAT, animal) < 1


def test_indoors_is_wrong_for_a_street():
    inside, outside = replace(CAT, place="indoors"), replace(CAT, place="outdoors")
    assert quality(CAT, inside) < quality(CAT, outside) < 1


@pytest.mark.parametrize("text", ["", "...", "Colourless green ideas sleep furiously.", "Ελλάδα"])
def test_a_text_about_something_else_is_worth_nothing(text):
    assert judge(PLAIN, text) == 0


def test_words_out_of_place_are_counted_and_cost_something():
    assert quality(CAT, replace(CAT, strays=2)) < quality(CAT, replace(CAT, strays=1)) < 1
    assert read("A black cat walks to the left.").strays == 0
    assert read("A black walks cat a to the left.").strays > 0
    assert read("A black cat walks jumps to the left.").strays > 0


def test_shuffled_words_score_lower():
    rng = np.random.default_rng(5)
    scenes = [scene(seed) for seed in range(60)]
    texts = [caption(shown, "human-a").text for shown in scenes]
    shuffled = [" ".join(rng.permutation(text.rstrip(".").split())) for text in texts]
    lower = [judge(s, b) < judge(s, a) for s, a, b in zip(scenes, texts, shuffled, strict=True)]
    assert np.mean(lower) > 0.95


def test_degraded_captions_score_lower_nearly_always_and_by_far():
    scenes = [scene(seed) for seed in range(150)]
    texts = [caption(shown, "human-a").text for shown in scenes]
    chosen = np.repeat(np.arange(150), 2)
    degraded = degrade(texts, chosen, rng=np.random.default_rng(2)).text
    before = np.array([judge(scenes[number], texts[number]) for number in chosen])
    after = np.array([judge(scenes[n], text) for n, text in zip(chosen, degraded, strict=True)])
    assert np.mean(after < before) > 0.95
    assert np.mean(before - after) > 0.25
