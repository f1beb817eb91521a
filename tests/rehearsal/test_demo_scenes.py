"""Scenes of the demo: the grammar keeps its own rules, whatever the seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehearsal.demo import demo_scenes, scene, scene_named, video_name
from rehearsal.demo.grammar import SECONDS
from rehearsal.demo.kinds import KINDS
from rehearsal.demo.places import HIDEOUTS, PLACES

seeds = st.integers(0, 2**40)


@given(seeds)
def test_a_seed_always_gives_the_same_scene(seed):
    assert scene(seed) == scene(seed)


@given(seeds)
def test_everybody_is_somewhere_they_belong_and_does_something_they_can(seed):
    story = scene(seed).story
    place = PLACES[story.place]
    assert story.light in place.lights
    assert story.weather in (None, *place.weathers)
    assert story.landmark in (None, *place.landmarks)
    for actor in story.actors:
        kind = KINDS[actor.kind]
        assert actor.kind in place.kinds
        assert actor.motion in (*kind.motions, "flee")
        assert 1 <= actor.count <= kind.crowd
        assert actor.colour in set(kind.colours) - set(place.hidden_colours)


@given(seeds)
def test_a_chase_and_a_meeting_take_two(seed):
    motions = [actor.motion for actor in scene(seed).story.actors]
    assert ("chase" in motions) == ("flee" in motions)
    assert motions.count("meet") in (0, 2)


@given(seeds)
def test_whoever_hides_has_something_to_hide_behind(seed):
    story = scene(seed).story
    if story.actors[0].motion == "hide":
        assert story.landmark in HIDEOUTS


@given(seeds)
def test_a_clip_lasts_four_to_six_seconds(seed):
    assert 4 <= scene(seed).seconds <= 6
    assert scene(seed).seconds in SECONDS


def test_many_scenes_use_the_whole_vocabulary():
    stories = [scene(seed).story for seed in range(1500)]
    assert {story.place for story in stories} == set(PLACES)
    assert {actor.kind for story in stories for actor in story.actors} == set(KINDS)
    told = {actor.motion for story in stories for actor in story.actors}
    assert told == {motion for kind in KINDS.values() for motion in kind.motions} | {"flee"}


def test_it_refuses_a_negative_seed():
    with pytest.raises(ValueError, match="seed"):
        scene(-1)


def test_a_campaign_visits_every_place_equally_often():
    places = Counter(shown.story.place for shown in demo_scenes(40))
    assert set(places.values()) == {4}


def test_the_scenes_of_a_campaign_are_different_and_follow_from_its_seed():
    scenes = demo_scenes(30, seed=3)
    assert len(set(scenes)) == 30
    assert scenes == demo_scenes(30, seed=3)
    assert scenes != demo_scenes(30, seed=4)


def test_a_larger_campaign_begins_with_the_smaller_one():
    assert demo_scenes(8)[:5] == demo_scenes(5)


def test_a_video_tells_its_scene_by_its_name():
    shown = demo_scenes(1)[0]
    assert scene_named(video_name(shown)) == shown


@pytest.mark.parametrize(
    "name", ["", "scene-", "scene--4", "scene-4.mp4", "video-000004", "scene-²"]
)
def test_it_refuses_the_name_of_a_video_that_is_not_ours(name):
    with pytest.raises(ValueError, match="video"):
        scene_named(name)


def test_it_refuses_a_campaign_without_videos():
    with pytest.raises(ValueError, match="videos"):
        demo_scenes(0)
