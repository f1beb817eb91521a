"""PROTOCOL §2, sentence by sentence, over many random campaigns."""

from __future__ import annotations

import doctest
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hits import composition
from hits.composition.campaign import Captions, compose_campaign, compose_hits
from hits.composition.dealing import even_out
from hits.composition.layout import Layout
from hits.composition.shape import DEGRADED, REFERENCE, REPEAT, SYSTEM, Shape

PROTOCOL = Shape(size=100, pairs=10, repeats=10)

# A busy machine takes its time; that is no fault of the code.
patiently = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@dataclass(frozen=True)
class Made:
    """A campaign and its HITs; columns have one HIT a row."""

    captions: Captions
    control_video: np.ndarray
    shape: Shape
    redundancy: int
    layout: Layout

    def column(self, name: str) -> np.ndarray:
        return getattr(self.layout, name).reshape(-1, self.shape.size)

    def of_kind(self, kind: int) -> np.ndarray:
        chosen = self.layout.caption[self.layout.kind == kind]
        return chosen.reshape(self.layout.hits, -1)

    @property
    def fresh(self) -> np.ndarray:
        return self.of_kind(SYSTEM)

    @property
    def alike(self) -> np.ndarray:
        """The system captions of the HITs that were not topped up."""
        asked = len(np.unique(self.layout.asked)) * self.redundancy
        return self.fresh[: asked // self.shape.fresh]

    def block(self, position: np.ndarray) -> np.ndarray:
        return position // (self.shape.size // 10)


def make(captions, control_video, shape=PROTOCOL, redundancy=1, seed=0) -> Made:
    rng = np.random.default_rng(seed)
    layout = compose_hits(captions, control_video, rng=rng, shape=shape, redundancy=redundancy)
    return Made(captions, control_video, shape, redundancy, layout)


def complete(videos: int, systems: int, **options) -> Made:
    video, system = np.indices((videos, systems)).reshape(2, -1)
    return make(Captions(video, system), np.arange(videos), **options)


def in_each(hits: np.ndarray, label: np.ndarray) -> np.ndarray:
    """How often each HIT (row) holds each label (column)."""
    return np.stack([np.bincount(label[hit], minlength=label.max() + 1) for hit in hits])


def valid_shapes(largest: int) -> list[Shape]:
    return [
        Shape(size, pairs, repeats)
        for size in range(10, largest + 1, 10)
        for pairs in range(size // 2 + 1)
        for repeats in range(size // 2 - pairs + 1)
        if size - 2 * pairs - repeats
    ]


SHAPES = valid_shapes(40)
EQUAL_BLOCKS = [shape for shape in SHAPES if np.ptp(shape.counts[:, SYSTEM]) == 0]


@st.composite
def campaigns(draw, complete: bool = False, shapes: list[Shape] = SHAPES) -> Made:
    """Campaigns of any size and with any captions missing, with and without merging."""
    videos, systems = draw(st.integers(3, 25)), draw(st.integers(1, 8))
    there = 1.0 if complete else draw(st.sampled_from([1.0, 0.95, 0.6, 0.3]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    video, system = rng.permutation(np.argwhere(rng.random((videos, systems)) < there)).T
    text = None if complete or draw(st.booleans()) else rng.integers(3, size=len(video))
    control_video = rng.permutation(videos + 3)[: draw(st.integers(0, videos + 3))]
    asked = len({*zip(video, system if text is None else text, strict=True)})
    fitting = [s for s in shapes if s.fresh <= asked and s.pairs <= len(control_video)]
    assume(fitting)
    shape, redundancy = draw(st.sampled_from(fitting)), draw(st.integers(1, 4))
    captions = Captions(video, system, text)
    return make(captions, control_video, shape, redundancy, draw(st.integers(0, 99)))


# What a HIT is made of


def test_a_hit_is_ten_blocks_of_seven_system_captions_and_one_of_each_other_kind():
    made = complete(150, 5)
    kinds = made.layout.kind.reshape(-1, 10, 10)
    for kind, count in {SYSTEM: 7, REFERENCE: 1, DEGRADED: 1, REPEAT: 1}.items():
        assert ((kinds == kind).sum(axis=2) == count).all()


@patiently
@given(campaigns())
def test_hits_and_positions_are_numbered_from_zero(made):
    hits = made.layout.hits
    assert made.layout.hit.tolist() == np.repeat(np.arange(hits), made.shape.size).tolist()
    assert made.layout.position.tolist() == list(range(made.shape.size)) * hits


@patiently
@given(campaigns())
def test_every_hit_has_the_pairs_and_repeats_of_its_shape(made):
    shape = made.shape
    expected = [shape.fresh, shape.pairs, shape.pairs, shape.repeats]
    for kinds in made.column("kind"):
        assert np.bincount(kinds, minlength=4).tolist() == expected


def test_other_sizes_keep_the_shape():
    for shape in valid_shapes(100):
        counts = shape.counts
        assert (counts >= 0).all()
        assert (counts.sum(axis=1) == shape.size // 10).all()
        kinds = [shape.fresh, shape.pairs, shape.pairs, shape.repeats, 0]  # checks come besides
        assert counts.sum(axis=0).tolist() == kinds
        five_away = np.roll(counts, 5, axis=0)
        assert (counts[:, DEGRADED] == five_away[:, REFERENCE]).all()
        assert (counts[:, REPEAT] <= five_away[:, SYSTEM]).all()
        assert (np.ptp(counts[:, REFERENCE:], axis=0) <= 1).all()


def test_the_order_inside_a_block_is_random():
    made = complete(2000, 50)
    blocks = made.layout.kind.reshape(-1, 10)
    for kind in (REFERENCE, DEGRADED, REPEAT):
        found = (blocks == kind).sum(axis=0)
        assert found == pytest.approx(np.full(10, len(blocks) / 10), rel=0.1)


# System captions


@patiently
@given(campaigns())
def test_each_caption_is_in_as_many_hits_as_asked_and_the_last_is_topped_up(made):
    units = np.unique(made.layout.asked)
    found = np.bincount(made.fresh.ravel(), minlength=len(made.captions))[units]
    topped_up = made.fresh.size - len(units) * made.redundancy
    assert 0 <= topped_up < made.shape.fresh
    assert np.sort(found).tolist() == (
        [made.redundancy] * (len(units) - topped_up) + [made.redundancy + 1] * topped_up
    )


@patiently
@given(campaigns(complete=True))
def test_only_the_last_hit_is_topped_up(made):
    found = np.bincount(made.fresh.ravel())
    assert set(np.flatnonzero(found > made.redundancy)) <= set(made.fresh[-1])


@patiently
@given(campaigns())
def test_no_caption_is_twice_in_a_hit_other_than_as_a_repeat(made):
    for hit in made.fresh:
        assert len(set(hit)) == len(hit)


@patiently
@given(campaigns())
def test_no_video_is_in_a_hit_more_often_than_it_must(made):
    found = in_each(made.fresh, made.captions.video)
    fewest = -(-found.sum(axis=0) // made.layout.hits)
    assert (found <= fewest).all()


@patiently
@given(campaigns())
def test_videos_and_systems_are_balanced_over_hits(made):
    if len(made.alike):
        for label in (made.captions.video, made.captions.system):
            assert (np.ptp(in_each(made.alike, label), axis=0) <= 1).all()


@patiently
@given(campaigns(complete=True))
def test_systems_are_balanced_within_hits_when_none_lacks_a_caption(made):
    if len(made.alike):
        assert (np.ptp(in_each(made.alike, made.captions.system), axis=1) <= 1).all()


@pytest.mark.parametrize(("videos", "systems"), [(40, 6), (75, 21), (90, 6), (120, 15), (500, 8)])
def test_the_topped_up_hit_is_balanced_too(videos, systems):
    made = complete(videos, systems)
    assert len(made.alike) < made.layout.hits
    found = in_each(made.fresh, made.captions.system)
    assert (np.ptp(found, axis=1) <= 1).all()


@patiently
@given(campaigns(complete=True, shapes=EQUAL_BLOCKS))
def test_systems_are_balanced_over_the_blocks_of_a_hit(made):
    is_fresh = made.layout.kind == SYSTEM
    block = made.block(made.layout.position)[is_fresh].reshape(made.fresh.shape)
    for hit, blocks in zip(made.fresh, block, strict=True):
        found = np.zeros((made.captions.system.max() + 1, 10), dtype=int)
        np.add.at(found, (made.captions.system[hit], blocks), 1)
        assert (np.ptp(found, axis=1) <= 1).all()


@pytest.mark.parametrize(("videos", "systems"), [(2000, 50), (3000, 20), (5000, 6), (2000, 35)])
def test_systems_are_balanced_over_positions(videos, systems):
    made = complete(videos, systems)
    is_fresh = made.layout.kind == SYSTEM
    found = np.zeros((systems, 10), dtype=int)
    block = made.block(made.layout.position)[is_fresh]
    np.add.at(found, (made.captions.system[made.layout.caption[is_fresh]], block), 1)
    assert found == pytest.approx(np.full(found.shape, found.mean()), rel=0.04)


@patiently
@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 12))
def test_hits_can_be_evened_out_whatever_they_hold(seed, hits, per_hit):
    rng = np.random.default_rng(seed)
    video, system = np.argwhere(rng.random((7, 5)) < rng.choice([0.3, 0.7, 1.0])).T
    assume(len(video))
    dealt = rng.integers(len(video), size=(hits, per_hit))
    before = np.sort(dealt, axis=None)
    labels = (np.arange(len(video)), video, system)
    for label in labels:
        even_out(dealt, label, video, system)
    assert np.sort(dealt, axis=None).tolist() == before.tolist()
    for label in labels:
        assert (np.ptp(in_each(dealt, label), axis=0) <= 1).all()


# Control captions, degraded captions and repeats


@patiently
@given(campaigns())
def test_control_captions_of_a_hit_differ(made):
    for hit in made.of_kind(REFERENCE):
        assert len(set(hit)) == len(hit)


@patiently
@given(campaigns())
def test_control_captions_are_of_videos_the_hit_does_not_show_as_far_as_there_are_any(made):
    for fresh, controls in zip(made.fresh, made.of_kind(REFERENCE), strict=True):
        shown = made.captions.video[fresh]
        others = np.isin(made.control_video, shown, invert=True).sum()
        clashes = np.isin(made.control_video[controls], shown).sum()
        assert clashes == max(0, made.shape.pairs - others)


def test_control_captions_are_used_equally_often():
    used = np.bincount(complete(1000, 20).of_kind(REFERENCE).ravel(), minlength=1000)
    assert np.ptp(used) <= 1


@patiently
@given(campaigns())
def test_copies_stand_five_blocks_from_their_originals(made):
    original, position = made.layout.original, made.layout.position
    copy = np.isin(made.layout.kind, (DEGRADED, REPEAT))
    assert (original[~copy] == -1).all()
    apart = made.block(position[copy]) - made.block(original[copy])
    assert (np.abs(apart) == 5).all()
    assert (np.abs(position - original)[copy] >= made.shape.closest).all()


def test_copies_are_never_closer_than_41_captions():
    made = complete(300, 10)
    copy = made.layout.original >= 0
    apart = np.abs(made.layout.position - made.layout.original)[copy]
    assert apart.min() == 41
    assert apart.mean() == pytest.approx(50, abs=1)


@patiently
@given(campaigns())
@pytest.mark.parametrize(("copies", "originals"), [(DEGRADED, REFERENCE), (REPEAT, SYSTEM)])
def test_copies_are_of_their_originals_and_no_two_of_the_same(copies, originals, made):
    columns = (made.column(name) for name in ("kind", "caption", "original"))
    for kind, caption, original in zip(*columns, strict=True):
        chosen = original[kind == copies]
        assert (kind[chosen] == originals).all()
        assert (caption[chosen] == caption[kind == copies]).all()
        assert len(set(chosen)) == len(chosen)


def test_any_system_caption_of_the_block_may_be_repeated():
    made = complete(2000, 50)
    original = made.column("original")[made.column("kind") == REPEAT]
    in_block = np.bincount(original % 10)
    assert in_block == pytest.approx(np.full(10, len(original) / 10), rel=0.1)


# Merging identical captions


@patiently
@given(campaigns())
def test_identical_captions_of_a_video_are_asked_once_when_merged(made):
    captions, asked = made.captions, made.layout.asked
    if captions.text is None:
        assert asked.tolist() == list(range(len(captions)))
        return
    wordings = list(zip(captions.video, captions.text, strict=True))
    systems = {}
    for wording, system in zip(wordings, captions.system, strict=True):
        systems[wording] = min(system, systems.get(wording, system))
    for caption, instead in enumerate(asked):
        assert wordings[instead] == wordings[caption]
        assert captions.system[instead] == systems[wordings[caption]]
    assert set(made.fresh.ravel()) == set(asked)


# Everything is a function of the campaign and one seed


def same(first: Layout, second: Layout) -> bool:
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in vars(first))


@patiently
@given(campaigns(), st.integers(0, 99))
def test_the_same_seed_gives_the_same_hits(made, seed):
    arguments = (made.captions, made.control_video, made.shape, made.redundancy, seed)
    assert same(make(*arguments).layout, make(*arguments).layout)


def test_another_seed_gives_other_hits():
    assert not same(complete(40, 6, seed=1).layout, complete(40, 6, seed=2).layout)


@patiently
@given(campaigns(), st.integers(0, 99))
def test_the_order_of_captions_in_the_input_means_nothing(made, seed):
    rng = np.random.default_rng(seed)
    order, controls = (rng.permutation(len(a)) for a in (made.captions.video, made.control_video))
    text = None if made.captions.text is None else made.captions.text[order]
    captions = Captions(made.captions.video[order], made.captions.system[order], text)
    first = make(made.captions, made.control_video, made.shape, made.redundancy, seed).layout
    other = make(captions, made.control_video[controls], made.shape, made.redundancy, seed).layout
    is_control = np.isin(first.kind, (REFERENCE, DEGRADED))
    caption = other.caption.copy()
    caption[is_control] = controls[other.caption[is_control]]
    caption[~is_control] = order[other.caption[~is_control]]
    assert same(first, replace(other, caption=caption, asked=first.asked))


# With texts


def test_a_campaign_has_a_different_degraded_text_for_each_hit_a_control_is_in():
    video, system = np.indices((40, 60)).reshape(2, -1)
    texts = [
        f"Clip {v} shows {v + 1} men who wash {v + 2} cars near {v + 3} trees." for v in range(40)
    ]
    made = compose_campaign(
        Captions(video, system), np.arange(40), texts, rng=np.random.default_rng(1)
    )
    chosen = made.layout.caption[made.layout.kind == DEGRADED]
    versions = set(zip(chosen, made.degraded.text, strict=True))
    assert len(chosen) == 350
    assert len(versions) == 350
    for control, version in versions:
        kept, original = version.split(), texts[control].split()
        assert version != texts[control]
        assert (kept[0], kept[-1], len(kept)) == (original[0], original[-1], len(original))


def test_the_order_of_control_captions_means_nothing_for_their_texts():
    video, system = np.indices((40, 6)).reshape(2, -1)
    texts = [
        f"Clip {v} shows {v + 1} men who wash {v + 2} cars near {v + 3} trees." for v in range(40)
    ]
    order = np.random.default_rng(0).permutation(40)
    first, other = (
        compose_campaign(
            Captions(video, system),
            videos,
            [texts[v] for v in videos],
            rng=np.random.default_rng(1),
        ).degraded.text
        for videos in (np.arange(40), order)
    )
    assert first == other


# What cannot be done


def test_forty_videos_and_six_systems_make_four_hits():
    assert complete(40, 6).layout.hits == 4


@pytest.mark.parametrize(
    ("size", "pairs", "repeats", "fault"),
    [
        (0, 0, 0, "size must be a multiple of 10"),
        (95, 10, 10, "size must be a multiple of 10"),
        (100, -1, 10, "pairs and repeats must not be negative"),
        (100, 10, -1, "pairs and repeats must not be negative"),
        (100, 25, 26, "size 100 cannot hold 25 pairs, 26 repeats"),
        (100, 50, 0, "size 100 cannot hold 50 pairs, 0 repeats"),
    ],
)
def test_it_refuses_a_shape_that_cannot_be_laid_out(size, pairs, repeats, fault):
    with pytest.raises(ValueError, match=fault):
        Shape(size, pairs, repeats)


@pytest.mark.parametrize(
    ("videos", "systems", "fault"),
    [
        (20, 3, "shows 70 .* has 60 and 20"),
        (3, 2, "shows 70 .* has 6 and 3"),
        (5, 100, "10 control captions, .* has 500 and 5"),
        (1, 1, "has 1 and 1"),
    ],
)
def test_it_refuses_a_campaign_too_small_for_a_hit(videos, systems, fault):
    with pytest.raises(ValueError, match=fault):
        complete(videos, systems)


@patiently
@given(captions=st.integers(2, 200), controls=st.integers(3, 50))
def test_there_is_a_fitting_shape_for_every_campaign_of_two_captions_and_three_controls(
    captions, controls
):
    shape = composition.shape.fitting_shape(captions, controls)
    assert shape.fresh <= captions
    assert 1 <= shape.pairs <= controls


def test_the_smallest_campaign_has_a_hit():
    made = complete(3, 2, shape=Shape(10, 1, 2))
    assert made.layout.hits == 1


@pytest.mark.parametrize(
    ("video", "system", "text", "fault"),
    [
        ([0, 1], [0], None, "columns of the same length"),
        ([0, 1], [0, 0], [1], "columns of the same length"),
        ([0, -1], [0, 0], None, "numbered from 0"),
    ],
)
def test_it_refuses_columns_that_make_no_campaign(video, system, text, fault):
    columns = [None if column is None else np.array(column) for column in (video, system, text)]
    with pytest.raises(ValueError, match=fault):
        Captions(*columns)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            {"captions": Captions(np.zeros(80, int), np.arange(80) % 79)},
            "captions has two captions",
        ),
        ({"control_video": np.arange(20) % 19}, "control_video has two control captions"),
        ({"control_video": np.arange(20) - 1}, "control_video must be numbered from 0"),
        ({"redundancy": 0}, "redundancy must be at least 1"),
    ],
)
def test_it_refuses_material_that_is_not_right(change, fault):
    arguments = {
        "captions": Captions(np.zeros(80, int), np.arange(80)),
        "control_video": np.arange(20),
        "redundancy": 1,
    }
    with pytest.raises(ValueError, match=fault):
        make(**(arguments | change))


def test_it_refuses_a_number_of_texts_other_than_that_of_control_captions():
    captions = Captions(np.arange(80), np.zeros(80, int))
    with pytest.raises(ValueError, match="control_text must have one text for each"):
        compose_campaign(captions, np.arange(80), ["A dog runs."], rng=np.random.default_rng(0))


@pytest.mark.parametrize("module", [composition.campaign, composition.shape])
def test_the_examples_in_its_documentation_are_right(module):
    results = doctest.testmod(module)
    assert results.attempted
    assert not results.failed
