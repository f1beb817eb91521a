"""The files of a demo campaign: a folder that imports like any organiser's."""

from __future__ import annotations

import csv
import io
import multiprocessing
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from rehearsal.demo.captioners import HUMANS, SYSTEMS, caption
from rehearsal.demo.clips import FPS, SIZE, is_rendered, render_clip
from rehearsal.demo.files import whole_file
from rehearsal.demo.grammar import scene
from rehearsal.demo.plans import LITTLE, SEED, VIDEOS, Plan
from rehearsal.demo.story import Scene

CAMPAIGN_SEEDS = 1_000_000
"""Campaigns are made of scenes below this number; scenes above it are unseen by any of them."""
CANDIDATES = 60


def write_demo_campaign(
    directory: Path,
    *,
    plan: Plan = LITTLE,
    videos: int = VIDEOS,
    seed: int = SEED,
    size: tuple[int, int] = SIZE,
    fps: int = FPS,
    workers: int = 2,
) -> None:
    """Write the campaign's folder; what is there and right stays untouched.

    Every file appears whole or not at all, so this may be interrupted and run again.
    """
    scenes = demo_scenes(videos, seed)
    names = [video_name(shown) for shown in scenes]
    clips = [f"clips/{name}.mp4" for name in names]
    _render(scenes, [directory / clip for clip in clips], size, fps, workers)
    _write(directory / "videos.csv", _table(("video", "path"), zip(names, clips, strict=True)))
    for file, column, sources in (
        ("references.csv", "source", HUMANS),
        ("captions.csv", "system", SYSTEMS),
    ):
        rows = [
            (video_name(shown), source, caption(shown, source).text)
            for shown in scenes
            for source in sources
        ]
        _write(directory / file, _table(("video", column, "caption"), rows))
    _write(directory / "campaign.toml", plan.settings(seed))


def demo_scenes(videos: int = VIDEOS, seed: int = SEED) -> list[Scene]:
    """Scenes for a campaign, chosen one by one so that nothing comes up too often."""
    if videos < 1:
        raise ValueError(f"videos must be at least 1, got {videos}")
    rng = np.random.default_rng([seed, 44])
    chosen: dict[int, Scene] = {}
    seen: Counter[str] = Counter()
    while len(chosen) < videos:
        drawn = rng.integers(CAMPAIGN_SEEDS, size=CANDIDATES).tolist()
        fresh = min((scene(number) for number in drawn), key=partial(_familiarity, seen))
        if fresh.seed not in chosen:
            chosen[fresh.seed] = fresh
            seen.update([str(fresh.story.place), *_features(fresh)])
    return list(chosen.values())


def video_name(shown: Scene) -> str:
    return f"scene-{shown.seed:06d}"


def scene_named(video: str) -> Scene:
    """The scene that a video of a demo campaign shows, found by the video's name."""
    kind, _, number = video.partition("-")
    if kind != "scene" or not number.isdecimal():
        raise ValueError(f"video must be named like scene-000042, got {video!r}")
    return scene(int(number))


def _features(shown: Scene) -> list[str]:
    """What a viewer would find repetitive if it came again and again."""
    story = shown.story
    return [
        f"in {story.place} {story.landmark}",
        f"{story.light} {story.weather}",
        f"{story.actors[0].motion}",
        *(f"a {actor.kind}" for actor in story.actors),
    ]


def _familiarity(seen: Counter[str], shown: Scene) -> tuple[int, float]:
    """Places take turns; among scenes of the same place, the one with the most news in it wins."""
    features = _features(shown)
    return seen[str(shown.story.place)], sum(seen[f] for f in features) / len(features)


def _render(
    scenes: Sequence[Scene],
    paths: Sequence[Path],
    size: tuple[int, int],
    fps: int,
    workers: int,
) -> None:
    """Render what is not there yet, several clips at a time."""
    render = partial(render_clip, size=size, fps=fps)
    due = [
        (shown, path)
        for shown, path in zip(scenes, paths, strict=True)
        if not is_rendered(shown, path, size=size, fps=fps)
    ]
    if workers < 2 or not due:
        for shown, path in due:
            render(shown, path)
        return
    # Spawned, not forked: whoever calls this may have threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        list(pool.map(render, *zip(*due, strict=True)))


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _write(path: Path, text: str) -> None:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")
