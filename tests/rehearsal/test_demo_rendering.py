"""Pictures of the demo: what is drawn is what the story says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from rehearsal.demo import Actor, Scene, Story, frames, scene
from rehearsal.demo.art.cast import CAST
from rehearsal.demo.art.landmarks import LANDMARKS
from rehearsal.demo.kinds import KINDS
from rehearsal.demo.places import PLACES
from rehearsal.demo.rendering import BACKDROPS

SIZE = (96, 54)


def staged(*actors: Actor, place: str = "meadow", landmark: str | None = None) -> Scene:
    return Scene(4, Story(actors, place=place, light="day", landmark=landmark), 4.0)


def presence(shown: Scene, count: int = 9) -> NDArray[np.bool_]:
    """Where the actors are: what differs from the same scene without them."""
    empty = replace(shown, story=replace(shown.story, actors=(), landmark=None))
    bare = replace(shown, story=replace(shown.story, landmark=None))
    change = frames(bare, count, SIZE).astype(int) - frames(empty, count, SIZE)
    return np.abs(change).max(axis=-1) > 40


def area(where: NDArray[np.bool_]) -> NDArray[np.float64]:
    return where.sum(axis=(1, 2)).astype(float)


def centre(where: NDArray[np.bool_], axis: int) -> NDArray[np.float64]:
    """Mean column (1) or row (0) of the actors in each frame where they are seen."""
    seen = where[area(where) > 0]
    return np.array([np.argwhere(frame)[:, axis].mean() for frame in seen])


@pytest.mark.parametrize("kind", ["ball", "car", "bird", "cat", "boat", "fish"])
def test_what_goes_to_the_right_goes_to_the_right(kind):
    place = {"boat": "harbour", "fish": "seabed", "car": "street"}.get(kind, "meadow")
    right = centre(presence(staged(Actor(kind, 1, "red", "cross", "right"), place=place)), axis=1)
    left = centre(presence(staged(Actor(kind, 1, "red", "cross", "left"), place=place)), axis=1)
    assert (np.diff(right) > 0).all()
    assert (np.diff(left) < 0).all()


def test_what_rises_leaves_at_the_top():
    where = presence(staged(Actor("balloon", 1, "red", "rise")))
    assert (np.diff(centre(where, axis=0)) < 0).all()
    assert area(where)[-1] < area(where)[0] / 2


def test_what_falls_ends_on_the_ground():
    rows = centre(presence(staged(Actor("ball", 1, "red", "fall")), 24), axis=0)
    assert rows[0] < SIZE[1] / 4
    assert rows[-1] > SIZE[1] * 0.7


def test_what_approaches_grows_and_what_recedes_shrinks():
    near = area(presence(staged(Actor("girl", 1, "red", "approach"))))
    far = area(presence(staged(Actor("girl", 1, "red", "recede"))))
    assert near[-1] > 4 * near[0]
    assert far[0] > 4 * far[-1]


def test_what_stops_stands_still_in_the_end():
    columns = centre(presence(staged(Actor("dog", 1, "black", "stop", "right")), 12), axis=1)
    assert columns[4] - columns[0] > 10
    assert np.ptp(columns[-4:]) < 4


def test_what_turns_back_comes_out_where_it_came_in():
    columns = centre(presence(staged(Actor("cat", 1, "black", "turn", "right"))), axis=1)
    assert columns[4] > columns[0] + 10
    assert columns[4] > columns[-1] + 10


def test_what_circles_changes_its_direction():
    columns = centre(presence(staged(Actor("bird", 1, "red", "circle")), 16), axis=1)
    assert (np.diff(columns) > 2).any()
    assert (np.diff(columns) < -2).any()


@pytest.mark.parametrize("kind", ["ball", "dog", "man"])
def test_whoever_hides_is_no_longer_seen(kind):
    hidden = staged(Actor(kind, 1, "red", "hide", "right"), landmark="rock")
    gone = replace(hidden.story.actors[0], colour="blue")
    recoloured = replace(hidden, story=replace(hidden.story, actors=(gone,)))
    change = np.abs(frames(hidden, 8, SIZE).astype(int) - frames(recoloured, 8, SIZE)).max(axis=-1)
    coat = area(change > 40)
    assert coat[:4].max() > 10
    assert coat[-1] < 0.1 * coat[:4].max()


def test_a_chaser_stays_behind_the_chased():
    dog, cat = Actor("dog", 1, "black", "chase", "right"), Actor("cat", 1, "black", "flee", "right")
    chased = centre(presence(staged(cat), 5)[1:4], axis=1)
    chaser = centre(presence(staged(dog), 5)[1:4], axis=1)
    assert (chaser < chased - 10).all()


def test_three_take_three_times_the_room_of_one():
    one = area(presence(staged(Actor("bird", 1, "red", "circle")))).mean()
    three = area(presence(staged(Actor("bird", 3, "red", "circle")))).mean()
    assert 2 < three / one < 4


@pytest.mark.parametrize("colour", ["red", "blue", "yellow", "purple"])
def test_colours_look_like_their_names(colour):
    shown = staged(Actor("balloon", 1, colour, "cross", "left"), place="living room")
    red, green, blue = np.median(frames(shown, 1, SIZE)[presence(shown, 1)], axis=0)
    looks = {
        "red": red > 1.6 * max(green, blue),
        "blue": blue > 1.3 * max(red, green),
        "yellow": min(red, green) > 1.6 * blue,
        "purple": min(red, blue) > 1.2 * green,
    }
    assert looks[colour]


def test_everything_has_a_picture():
    assert set(CAST) == set(KINDS)
    assert set(BACKDROPS) == set(PLACES)
    assert set(LANDMARKS) == {name for place in PLACES.values() for name in place.landmarks}


@pytest.mark.parametrize("seed", range(24))
def test_any_scene_can_be_drawn_and_moves(seed):
    shown = frames(scene(seed), 3, SIZE)
    assert shown.shape == (3, 54, 96, 3)
    assert shown.dtype == np.uint8
    assert shown.std() > 15
    assert np.abs(shown[0].astype(int) - shown[2]).mean() > 0.3


def test_frames_are_the_same_every_time():
    np.testing.assert_array_equal(frames(scene(9), 2, SIZE), frames(scene(9), 2, SIZE))


def test_fewer_frames_show_the_same_moments():
    np.testing.assert_array_equal(frames(scene(9), 9, SIZE)[4], frames(scene(9), 3, SIZE)[1])


def test_it_refuses_no_frames_and_frames_too_small_to_see():
    with pytest.raises(ValueError, match="count"):
        frames(scene(1), 0, SIZE)
    with pytest.raises(ValueError, match="size"):
        frames(scene(1), 1, (8, 8))
