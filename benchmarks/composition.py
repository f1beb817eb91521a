"""A million captions to HITs, lists against arrays in one run; and 143,000 captions degraded.

The yardstick is what one would write first: shuffle lists, cut them into HITs, put off a caption
whose video the HIT has already, shuffle the blocks. It does not balance systems or the use of
control captions, which the platform's own composition does on top.
"""

from __future__ import annotations

import argparse
import random
import time
import tracemalloc
from collections import deque
from collections.abc import Callable, Iterator

import numpy as np

from hits.composition.campaign import Captions, compose_hits
from hits.composition.layout import Layout
from hits.composition.shape import BLOCKS, HALFWAY, Shape
from hits.degradation import Degraded, degrade

SYSTEMS, VIDEOS = 50, 20_000
DEGRADED = 143_000
TO_REACH = 15

SHAPE = Shape()
PER_BLOCK = SHAPE.fresh // BLOCKS

Caption = tuple[int, int]  # video and system; a control caption has none
Item = tuple[str, int, int]  # kind, video and system
Row = tuple[int, int, str, int, int, int | None]  # HIT, position, kind, video, system, original
NO_SYSTEM = -1


def list_shuffling(videos: int, systems: int) -> list[Row]:
    """Compose HITs with Python lists."""
    shuffler = random.Random(7)
    captions = [(video, system) for video in range(videos) for system in range(systems)]
    shuffler.shuffle(captions)
    rows: list[Row] = []
    for hit, fresh in enumerate(cut(captions)):
        shown = {video for video, _ in fresh}
        controls: list[int] = []
        while len(controls) < SHAPE.pairs:
            control = shuffler.randrange(videos)
            if control not in shown:
                shown.add(control)
                controls.append(control)
        rows.extend(laid_out(hit, fresh, controls, shuffler))
    return rows


def cut(captions: list[Caption]) -> Iterator[list[Caption]]:
    """HITs without a video twice; a caption that does not fit waits for the next one."""
    pending, start = deque(captions), iter(captions)
    while pending:
        fresh: list[Caption] = []
        shown: set[int] = set()
        put_off: list[Caption] = []
        while len(fresh) < SHAPE.fresh:
            topping_up = not pending
            caption = next(start) if topping_up else pending.popleft()
            if caption[0] not in shown:
                shown.add(caption[0])
                fresh.append(caption)
            elif not topping_up:
                put_off.append(caption)
        pending.extendleft(reversed(put_off))
        yield fresh


def laid_out(
    hit: int, fresh: list[Caption], controls: list[int], shuffler: random.Random
) -> list[Row]:
    """The rows of a HIT: ten shuffled blocks, copies five blocks from their originals."""
    parts = [fresh[start : start + PER_BLOCK] for start in range(0, len(fresh), PER_BLOCK)]
    items: list[tuple[Item, Item | None]] = []
    for number, part in enumerate(parts):
        partner = (number + HALFWAY) % BLOCKS
        video, system = shuffler.choice(parts[partner])
        control = controls[partner]
        block: list[tuple[Item, Item | None]] = [(("system", *caption), None) for caption in part]
        block.append((("reference", controls[number], NO_SYSTEM), None))
        block.append((("degraded", control, NO_SYSTEM), ("reference", control, NO_SYSTEM)))
        block.append((("repeat", video, system), ("system", video, system)))
        shuffler.shuffle(block)
        items.extend(block)
    position = {item: place for place, (item, _) in enumerate(items)}
    return [
        (hit, place, *item, None if original is None else position[original])
        for place, (item, original) in enumerate(items)
    ]


def arrays(videos: int, systems: int) -> Layout:
    """Compose HITs the platform's way."""
    video, system = np.indices((videos, systems)).reshape(2, -1)
    return compose_hits(Captions(video, system), np.arange(videos), rng=np.random.default_rng(7))


def made_up_captions(count: int) -> list[str]:
    """Control captions of 4 to 24 words."""
    shuffler = random.Random(7)
    words = [f"word{number}" for number in range(3_000)]
    return [" ".join(shuffler.choices(words, k=shuffler.randint(4, 24))) for _ in range(count)]


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """The shortest of a few runs, in processor time: all of it runs on one core."""
    taken = []
    for _ in range(times):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


def megabytes(work: Callable[[], object]) -> float:
    """Peak of the memory Python and numpy take for it. Tracing slows, so it is not timed."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def measure(videos: int, systems: int) -> None:
    theirs = seconds(lambda: list_shuffling(videos, systems))
    ours = seconds(lambda: arrays(videos, systems), times=5)
    print(f"{videos * systems:,} captions to HITs   arrays {ours:5.2f} s   lists {theirs:5.2f} s")
    memory = megabytes(lambda: arrays(videos, systems))
    print(f"ratio {theirs / ours:.1f} × (to reach: {TO_REACH} ×)   peak memory {memory:.0f} MB")

    captions = made_up_captions(videos)
    chosen = np.arange(DEGRADED) % videos

    def degrading() -> Degraded:
        return degrade(captions, chosen, rng=np.random.default_rng(7))

    print(f"{DEGRADED:,} captions degraded   {seconds(degrading, times=3):5.2f} s", end="   ")
    print(f"peak memory {megabytes(degrading):.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--videos", type=int, default=VIDEOS)
    parser.add_argument("--systems", type=int, default=SYSTEMS)
    options = parser.parse_args()
    measure(options.videos, options.systems)


if __name__ == "__main__":
    main()
