"""Many annotators at once, each at their own pace."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Sequence

from benchmarks.load.annotator import Annotator, NothingLeft
from benchmarks.load.ledger import Ledger
from benchmarks.load.wire import Wire


class Crowd:
    """People with a link each, who come one after the other and then work."""

    def __init__(self, wire: Wire, links: Sequence[str], *, pace: float, seed: int = 7) -> None:
        self.ledger, self.pace = Ledger(), pace
        self.rng = random.Random(seed)
        self.people = [
            Annotator(wire, link, self.ledger, random.Random(seed + number))
            for number, link in enumerate(links)
        ]

    async def arrive(self, seconds: float) -> None:
        """Everybody opens their link, spread over so many seconds."""

        async def come(person: Annotator, after: float) -> None:
            await asyncio.sleep(after)
            await person.enter()

        waits = [seconds * number / len(self.people) for number in range(len(self.people))]
        await asyncio.gather(*map(come, self.people, waits))

    async def work(self, seconds: float) -> float:
        """Everybody rates until time is up and what was begun is answered; the seconds it took."""
        self.ledger.begin_again()
        begun = time.perf_counter()
        tasks = [self._rate(person, begun + seconds) for person in self.people]
        await asyncio.gather(*tasks)
        return time.perf_counter() - begun

    async def _rate(self, person: Annotator, end: float) -> None:
        pause = self.pace * self.rng.random()  # people begin anywhere between two ratings
        with contextlib.suppress(NothingLeft):
            while time.perf_counter() + pause < end:
                await asyncio.sleep(pause)
                await person.act()
                pause = self.pace * self.rng.uniform(0.6, 1.4)
