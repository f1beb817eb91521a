"""HITs of whole videos: every caption on its video's page, and strangers hidden among them."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hits.composition.by_video import compose_by_video
from hits.composition.campaign import Captions
from hits.composition.shape import DEGRADED, SYSTEM, VideoShape, cut_by_video, hit_shape


def grid(videos, systems):
    return np.indices((videos, systems)).reshape(2, -1)


def composed(videos=9, systems=3, *, shape=None, redundancy=1, seed=7, text=None, rows=None):
    video, system = grid(videos, systems)
    rows = np.arange(len(video)) if rows is None else rows
    words = text or [f"system {s} on video {v}" for v, s in zip(video, system, strict=True)]
    return compose_by_video(
        Captions(video[rows], system[rows]),
        [words[row] for row in rows],
        rng=np.random.default_rng(seed),
        shape=shape or VideoShape(size=14, pairs=2),
        redundancy=redundancy,
    )


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 12), st.integers(1, 5), st.integers(1, 3), st.integers(0, 2), st.integers(1, 4)
)
def test_every_hit_shows_whole_videos_once_and_every_caption_often_enough(
    videos, systems, redundancy, pairs, pages
):
    pages = max(min(pages, videos), pairs)
    size = pages * systems + pairs
    if pages > videos:
        return
    made = composed(videos, systems, shape=VideoShape(size, pairs), redundancy=redundancy)
    layout, video = made.layout, grid(videos, systems)[0]
    shown = np.bincount(layout.caption[layout.kind == SYSTEM], minlength=videos * systems)
    assert shown.min() >= redundancy
    for hit in range(layout.hits):
        of_hit = layout.hit == hit
        assert layout.position[of_hit].tolist() == list(range(of_hit.sum()))
        assert np.count_nonzero(layout.kind[of_hit] == DEGRADED) == pairs
        seen = [key for key, _ in groupby(video[layout.caption[of_hit]].tolist())]
        assert len(seen) == len(set(seen)), "a video stands on one page only"
        system = of_hit & (layout.kind == SYSTEM)
        per_video = np.bincount(video[layout.caption[system]], minlength=videos)
        assert set(per_video.tolist()) <= {0, systems}


def test_a_hidden_caption_is_of_another_video_and_compared_with_one_of_the_page():
    made = composed()
    layout = made.layout
    texts = iter(made.degraded.text)
    for row in np.flatnonzero(layout.kind == DEGRADED):
        caption = layout.caption[row]
        twin = np.flatnonzero(
            (layout.hit == layout.hit[row]) & (layout.position == layout.original[row])
        )
        assert layout.caption[twin].tolist() == [caption]
        assert layout.kind[twin].tolist() == [SYSTEM]
        assert not next(texts).endswith(f"video {caption // 3}")


def test_a_hidden_caption_never_reads_like_one_of_the_page():
    alike = [f"anything {v % 2}" for v, _ in zip(*grid(9, 3), strict=True)]
    made = composed(text=alike)
    hidden = made.layout.caption[made.layout.kind == DEGRADED]
    for caption, text in zip(hidden.tolist(), made.degraded.text, strict=True):
        assert text != alike[caption]


def test_the_order_of_the_captions_in_the_files_means_nothing():
    rows = np.random.default_rng(3).permutation(27)
    one, other = composed().layout, composed(rows=rows).layout
    assert rows[other.caption].tolist() == one.caption.tolist()
    assert composed(seed=8).layout.caption.tolist() != one.caption.tolist()


def test_captions_of_a_page_stand_in_random_order():
    layout = composed(40, 6, shape=VideoShape(60, 0)).layout
    first = layout.caption[0::6] % 6
    assert len(set(first.tolist())) == 6


def test_a_damaged_control_is_made_of_a_caption_that_the_page_does_not_show():
    video, system = grid(4, 2)
    texts = [f"on a page {s} says the video {v} here" for v, s in zip(video, system, strict=True)]
    human = {0: "somebody saw what was in clip 0", 1: texts[2]}  # the second is on its page, too
    made = compose_by_video(
        Captions(video, system),
        texts,
        rng=np.random.default_rng(7),
        shape=VideoShape(size=12, pairs=4),
        damage=True,
        human=human,
    )
    layout = made.layout
    hidden = video[layout.caption[layout.kind == DEGRADED]].tolist()
    assert sorted(hidden) == [0, 1, 2, 3]
    for clip, text in zip(hidden, made.degraded.text, strict=True):
        assert text.startswith("somebody" if clip == 0 else "on")
        assert text.endswith("0" if clip == 0 else "here")


@pytest.mark.parametrize(
    ("shape", "videos", "said"),
    [
        (VideoShape(4, 2), 9, "cannot hold a video's 3 captions and 2 controls"),
        (VideoShape(10, 4), 9, "2 of 9 videos, and each can hide one control, not 4"),
        (VideoShape(14, 1), 1, "1 of 1 videos, and each can hide one control, not 1"),
    ],
)
def test_it_refuses_a_hit_that_cannot_be_laid_out_and_says_why(shape, videos, said):
    with pytest.raises(ValueError, match=said):
        composed(videos, shape=shape)


def test_it_refuses_strangers_where_all_videos_read_alike():
    with pytest.raises(ValueError, match="same captions"):
        composed(text=["the same"] * 27)


def test_repeats_have_no_place_where_a_video_is_on_one_page():
    with pytest.raises(ValueError, match="Repeats per HIT must be 0"):
        hit_shape(whole_video=True, size=100, pairs=10, repeats=10)
    assert hit_shape(whole_video=True, size=100, pairs=10, repeats=0) == VideoShape(100, 10)


def test_the_papers_campaign_is_cut_as_planned():
    """emscore-2022: 3,000 videos, six captions each; by default fifteen videos a HIT."""
    cut = cut_by_video(VideoShape(), videos=3000, captions=18_000, most=6, redundancy=1)
    made = composed(3000, 6, shape=VideoShape())
    assert (cut.hits, cut.size) == (200, 100)
    assert (made.layout.hits, len(made.layout.hit)) == (200, 20_000)
