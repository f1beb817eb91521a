"""One annotator as the site sees them: what the rating page's script sends, and when."""

from __future__ import annotations

import asyncio
import html
import json
import random
import time
import uuid
from collections.abc import Iterable
from typing import Any

from benchmarks.load.ledger import SAVE, Ledger
from benchmarks.load.wire import Answer, Wire
from rehearsal.people.rating_client import WORK

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
RESENT, REVISED, RELOADED = 0.05, 0.05, 0.02  # shares of ratings
BACK_OFF = 0.5
EVIDENCE = {
    "elapsed_ms": 9000, "first_touch_ms": 6000, "last_touch_ms": 7000, "moves": 3, "plays": 1,
    "watched_ms": 4000, "hidden_ms": 0,
}  # fmt: skip


class NothingLeft(Exception):
    """There is no HIT this person could take."""


class Annotator:
    """Comes by a link, rates one HIT after another, and writes down what the site answered.

    A request is sent again, under the same key, until it is answered: so does the page.
    """

    def __init__(self, wire: Wire, link: str, ledger: Ledger, rng: random.Random) -> None:
        self.wire, self.link, self.ledger, self.rng = wire, link, ledger, rng
        self.fetched: set[str] = set()
        self.page = ""
        self.done = self.total = 0
        self.items: dict[int, dict[str, Any]] = {}

    async def enter(self) -> None:
        """Open the link, press Start, and load the page."""
        await self.ask("opening the link", "GET", self.link, expected=(200, 302, 409))
        answer = await self.ask(
            "pressing Start", "POST", self.link, b"consent=yes", FORM, expected=(302, 409)
        )
        if answer.status == 409:
            raise NothingLeft(answer.body.decode())
        self.page = answer.headers["location"]
        await self.load()

    async def load(self) -> None:
        """The rating page, as after a reload; its style and scripts nginx has."""
        page = (await self.ask("loading the page", "GET", self.page)).body.decode()
        (work,) = WORK.findall(page)
        self.work = json.loads(html.unescape(work))
        self.done, self.total = self.work["done"], self.work["total"]
        await self._receive(self.work["items"])

    async def act(self) -> None:
        """One rating, and now and then what people do beside it."""
        if self.done == self.total:
            await self.submit()
        elif self.rng.random() < RELOADED:
            await self.load()
        elif self.done and self.rng.random() < REVISED:
            await self.revise()
        await self.rate()

    async def rate(self) -> None:
        answer = await self._save(SAVE, self.items[self.done]["receipt"])
        self.done = answer["done"]
        await self._receive(answer["items"])

    async def revise(self) -> None:
        """Back to an earlier caption, with another score."""
        position = self.rng.randrange(self.done)
        path = f"{self.work['endpoints']['item-detail']}?position={position}"
        answer = await self.ask("an item again", "GET", path, headers=self._token())
        (item,) = json.loads(answer.body)["items"]
        await self._save("changing a rating", item["receipt"])

    async def submit(self) -> None:
        finish = self.work["endpoints"]["assignment-finish"]
        await self.ask("handing in", "POST", finish, b"{}", self._token())
        await self.enter()

    async def ask(
        self,
        act: str,
        method: str,
        path: str,
        body: bytes = b"",
        headers: dict[str, str] | None = None,
        *,
        expected: Iterable[int] = (200,),
    ) -> Answer:
        """The answer that settles it, and the whole wait for it."""
        begun = time.perf_counter()
        while True:
            try:
                answer = await self.wire.ask(method, path, body, headers)
            except OSError as fault:
                self.ledger.errors[f"{act}: {type(fault).__name__}"] += 1
            else:
                if answer.status in expected:
                    self.ledger.waits[act].append(time.perf_counter() - begun)
                    return answer
                self.ledger.errors[f"{act}: {answer.status}"] += 1
                if answer.status < 500:
                    raise RuntimeError(f"{act} was answered {answer.status}: {answer.body[:200]!r}")
            await asyncio.sleep(BACK_OFF)

    async def _save(self, act: str, receipt: str) -> dict[str, Any]:
        """Post a rating, sometimes twice, as after an answer that got lost."""
        key, score = str(uuid.uuid4()), self.rng.randrange(101)
        rating = {
            "receipt": receipt, "key": key, "score": score, "fluency": None, "evidence": EVIDENCE,
        }  # fmt: skip
        body, headers = json.dumps(rating).encode(), self._token()
        path = self.work["endpoints"]["rating-create"]
        answer = await self.ask(act, "POST", path, body, headers)
        self.ledger.saved(key, score)
        if self.rng.random() < RESENT:
            answer = await self.ask("the same rating again", "POST", path, body, headers)
        saved: dict[str, Any] = json.loads(answer.body)
        return saved

    async def _receive(self, items: list[dict[str, Any]]) -> None:
        """Keep what is to be rated, and fetch its video while the one before is watched."""
        self.items |= {item["position"]: item for item in items}
        for address in {item["media"] for item in items} - self.fetched:
            self.fetched.add(address)
            whole = {"Range": "bytes=0-"}
            await self.ask("a video", "GET", address, headers=whole, expected=(206,))

    def _token(self) -> dict[str, str]:
        return {"Content-Type": "application/json", "X-Assignment": self.work["token"]}
