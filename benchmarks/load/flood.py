"""A flood of log-ins under new names and from new addresses, which no count by address can stop."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections import Counter
from collections.abc import AsyncIterator
from urllib.parse import urlencode

from benchmarks.load.annotator import FORM
from benchmarks.load.wire import ORIGIN, Wire

LOGIN = "/accounts/login/"
TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="(\w+)"')


class Flood:
    """So many log-ins a second, whether or not those before are answered."""

    def __init__(self, wire: Wire, rate: float) -> None:
        self.wire, self.rate = wire, rate
        self.answers: Counter[str] = Counter()
        self._tries: set[asyncio.Task[None]] = set()

    @property
    def summary(self) -> str:
        said = ", ".join(f"{times} × {what}" for what, times in sorted(self.answers.items()))
        return f"log-ins: {said}"

    @contextlib.asynccontextmanager
    async def raging(self) -> AsyncIterator[None]:
        """Until the block is left; what was begun is then waited for."""
        pouring = asyncio.create_task(self._pour())
        try:
            yield
        finally:
            pouring.cancel()
            await asyncio.gather(*self._tries)

    async def _pour(self) -> None:
        page = await self.wire.ask("GET", LOGIN)
        token = TOKEN.findall(page.body)[0].decode()
        cookie = page.headers["set-cookie"].partition(";")[0]
        begun, number = time.perf_counter(), 0
        while True:
            number += 1
            attempt = asyncio.create_task(self._try(number, token, cookie))
            self._tries.add(attempt)
            attempt.add_done_callback(self._tries.discard)
            await asyncio.sleep(max(0.0, begun + number / self.rate - time.perf_counter()))

    async def _try(self, number: int, token: str, cookie: str) -> None:
        name = f"nobody-{number}"
        form = {"csrfmiddlewaretoken": token, "username": name, "password": "guessed"}
        address = f"198.{18 + number // 65_536 % 2}.{number // 256 % 256}.{number % 256}"
        headers = {"Cookie": cookie, "X-Forwarded-For": address, "Referer": ORIGIN + LOGIN}
        try:
            answer = await self.wire.ask("POST", LOGIN, urlencode(form).encode(), FORM | headers)
            self.answers[str(answer.status)] += 1
        except OSError as fault:
            self.answers[type(fault).__name__] += 1
