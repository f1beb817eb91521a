"""Captions of the demo: they read like English, and what they say is known."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehearsal.demo import HUMANS, SYSTEMS, Story, caption, captions, read, scene
from rehearsal.demo.kinds import KINDS
from rehearsal.demo.wording import plural
from rehearsal.demo.writing import write

seeds = st.integers(0, 2**40)
sources = st.sampled_from([*HUMANS, *SYSTEMS])
MANY = [captions(scene(seed)) for seed in range(250)]


def in_any_order(story: Story) -> Story:
    return replace(story, actors=tuple(sorted(story.actors, key=str)))


@given(seeds, seeds)
def test_a_whole_story_survives_being_written_and_read(seed, wording):
    story = scene(seed).story
    text = write(story, np.random.default_rng(wording))
    assert in_any_order(read(text)) == in_any_order(story)


@given(seeds, sources)
def test_a_caption_says_what_its_captioner_meant(seed, source):
    said = caption(scene(seed), source)
    assert in_any_order(read(said.text)) == in_any_order(said.story)


@given(seeds, sources)
def test_a_caption_is_one_clean_english_sentence(seed, source):
    text = caption(scene(seed), source).text
    assert re.fullmatch(r"[A-Z][a-z]*(,? [a-z]+)*\.", text), text
    assert not re.search(r"\ba [aeiou]|\ban [^aeiou]", text, re.IGNORECASE), text


@given(seeds, sources)
def test_one_is_singular_and_several_are_plural(seed, source):
    text = caption(scene(seed), source).text.lower()
    for noun in {noun for kind in KINDS.values() for noun in kind.nouns} - {"fish"}:
        assert not re.search(rf"\b(two|three|some) (\w+ )?{noun}\b", text), text
        assert not re.search(rf"\ban? (\w+ )?{plural(noun)}\b", text), text


@given(seeds, sources)
def test_captions_follow_from_the_scene_alone(seed, source):
    assert caption(scene(seed), source) == caption(scene(seed), source)
    assert caption(scene(seed), source) == captions(scene(seed))[source]


def test_the_two_people_word_the_same_scene_differently():
    same = sum(said["human-a"].text == said["human-b"].text for said in MANY)
    assert same < len(MANY) * 0.02


def test_people_write_captions_of_many_lengths():
    words = [len(said[human].text.split()) for said in MANY for human in HUMANS]
    assert np.percentile(words, 5) < 11 < 15 < np.median(words) < 22 < np.percentile(words, 95)


def test_people_leave_things_out_and_never_make_things_up():
    for said in MANY:
        for human in HUMANS:
            assert said[human].quality >= 0.6
    assert any(len(said["human-b"].story.actors) == 1 for said in MANY)


def test_systems_have_the_quality_they_are_meant_to_have():
    means = [np.mean([said[source].quality for said in MANY]) for source in (*HUMANS, *SYSTEMS)]
    assert means == sorted(means, reverse=True)
    assert min(np.array(means[:-1]) - np.array(means[1:])) > 0.01
    assert means[1] - means[-1] > 0.5


@pytest.mark.parametrize(
    ("source", "failing"),
    [
        ("concise", lambda real, told: len(told.actors) > len(real.actors)),
        ("imaginative", lambda real, told: len(told.actors) <= len(real.actors)),
        ("restless", lambda real, told: told.actors[0].motion == real.actors[0].motion),
        ("confused", lambda real, told: told.actors[0].kind == real.actors[0].kind),
        ("vague", lambda real, told: told.actors[0].colour is not None),
    ],
)
def test_each_system_has_its_own_failing_in_most_captions(source, failing):
    missed = [failing(scene(seed).story, said[source].story) for seed, said in enumerate(MANY)]
    assert np.mean(missed) < 0.35


def test_it_refuses_a_captioner_it_does_not_know():
    with pytest.raises(ValueError, match="source"):
        caption(scene(1), "gpt")


def test_it_refuses_to_write_about_nobody():
    with pytest.raises(ValueError, match="actors"):
        write(Story(place="beach"), np.random.default_rng(1))
