"""Examples for the demo model: rendered scenes, what is said of them, and what is so."""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from rehearsal.demo import CAMPAIGN_SEEDS, Caption, Story, captions, frames, scene

# The scenes of demo campaigns lie below CAMPAIGN_SEEDS: none of them is ever trained on.
TRAINING_SEEDS = CAMPAIGN_SEEDS
HELD_OUT_SEEDS = 2 * CAMPAIGN_SEEDS
TRUE = ("human-a", "human-b", "concise")
FALSE = ("imaginative", "restless", "confused")
_RENDERED, _KEPT = (160, 90), (96, 96)


@dataclass(frozen=True)
class Examples:
    """Scenes as the model sees them, what really happens in them, and what captioners say.

    Parameters
    ----------
    pictures : (scenes, frames, height, width, 3) bytes
    stories : what happens in each scene
    captions : by source, one of each scene
    """

    pictures: NDArray[np.uint8]
    stories: Sequence[Story]
    captions: Mapping[str, Sequence[Caption]]

    def texts(self) -> list[str]:
        return [told.text for source in self.captions.values() for told in source]


def make_examples(seeds: Sequence[int], count: int, *, processes: int) -> Examples:
    """Render so many frames of every scene, squashed to squares as the model sees them."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        pictures = list(pool.map(partial(_render, count), seeds, chunksize=32))
    scenes = [scene(seed) for seed in seeds]
    told = [captions(shown) for shown in scenes]
    return Examples(
        np.stack(pictures),
        [shown.story for shown in scenes],
        {source: [said[source] for said in told] for source in told[0]},
    )


def _render(count: int, seed: int) -> NDArray[np.uint8]:
    shown = [Image.fromarray(picture) for picture in frames(scene(seed), count, _RENDERED)]
    squashed = [picture.resize(_KEPT, Image.Resampling.BICUBIC) for picture in shown]
    return np.stack([np.asarray(picture) for picture in squashed])


def facts(story: Story) -> set[str]:
    """A story in single facts, as far as it is told.

    >>> from rehearsal.demo import Actor
    >>> sorted(facts(Story((Actor("dog", 2, "black", "jump"),), light="night")))
    ['2 dog', 'black dog', 'dog', 'jump', 'light night']
    """
    found = {
        f"{name} {value}"
        for name in ("place", "light", "weather", "landmark")
        if (value := getattr(story, name))
    }
    for actor in story.actors:
        found |= {actor.kind, *filter(None, (actor.motion, actor.heading))}
        found |= {f"{detail} {actor.kind}" for detail in (actor.colour, actor.count) if detail}
    return found


def words_of(texts: Iterable[str]) -> list[str]:
    """The words and marks a vocabulary has to spell."""
    return sorted(
        {word for text in texts for word in re.findall(r"[a-z]+|[^\sa-z]+", text.lower())}
    )
