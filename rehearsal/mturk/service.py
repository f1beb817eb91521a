"""The marketplace with a clock, a lock and a journal: the one door to it."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

from rehearsal.mturk.marketplace import DEFAULT_BALANCE, Marketplace
from rehearsal.mturk.operations import OPERATIONS
from rehearsal.mturk.refusals import Refusal
from rehearsal.mturk.worker_acts import WORKER_ACTS

Clock = Callable[[], dt.datetime]
FOUNDED, FORWARD = "founded", "forward"
ACTS = OPERATIONS | WORKER_ACTS
JOURNAL = "marketplace.jsonl"


def wall_clock() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class MarketService:
    """Acts come in from many connections and are carried out one at a time."""

    def __init__(
        self,
        *,
        folder: Path | None = None,
        clock: Clock = wall_clock,
        balance: Decimal = DEFAULT_BALANCE,
        seed: str | None = None,
    ) -> None:
        self.clock = clock
        self.ahead = dt.timedelta(0)
        self.calls: dict[str, int] = {}
        self._lock = threading.Lock()
        self._journal = Journal(folder / JOURNAL) if folder else None
        founding = {"seed": seed or secrets.token_hex(8), "balance": str(balance)}
        self.market = self._read() or self._found(founding)
        self.market.advance(self.now())

    def now(self) -> dt.datetime:
        return self.clock() + self.ahead

    def act(self, name: str, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out one act, now. Refused ones are kept too: they may have used up an id."""
        if name not in ACTS:
            raise Refusal(
                f"{name} is not rehearsed here: this marketplace offers "
                f"{len(OPERATIONS)} of Mechanical Turk's operations.",
                "UnsupportedOperation",
            )
        with self._lock:
            self.calls[name] = self.calls.get(name, 0) + 1
            now = self.now()
            self.market.advance(now)
            if not name.startswith(("Get", "List", "look")):
                self._write(Act(now, name, request))
            return ACTS[name](self.market, request)

    def forward(self, seconds: float) -> None:
        """Let the marketplace's clock run ahead, so that nobody waits days for auto-approval."""
        with self._lock:
            self._write(Act(self.now(), FORWARD, {"seconds": seconds}))
            self.ahead += dt.timedelta(seconds=seconds)
            self.market.advance(self.now())

    def close(self) -> None:
        if self._journal:
            self._journal.close()

    def _write(self, act: Act) -> None:
        if self._journal:
            self._journal.write(act)

    def _read(self) -> Marketplace | None:
        """Everything done before, done again at the times it was done."""
        market = None
        for act in self._journal.read() if self._journal else ():
            if act.name == FOUNDED:
                market = _marketplace(act.request)
            elif act.name == FORWARD:
                self.ahead += dt.timedelta(seconds=act.request["seconds"])
            elif market is not None:
                market.advance(act.at)
                with contextlib.suppress(Refusal):
                    ACTS[act.name](market, act.request)
        return market

    def _found(self, founding: dict[str, str]) -> Marketplace:
        self._write(Act(self.now(), FOUNDED, founding))
        return _marketplace(founding)


def _marketplace(founding: dict[str, str]) -> Marketplace:
    return Marketplace(seed=founding["seed"], balance=Decimal(founding["balance"]))


@dataclass(frozen=True)
class Act:
    """Something that changed the marketplace, and when it was done."""

    at: dt.datetime
    name: str
    request: dict[str, Any]


class Journal:
    """A file of acts, one a line; what was answered has been handed to the operating system."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._cut_torn_end()
        self._file: IO[str] = path.open("a", encoding="utf-8")

    def read(self) -> Iterator[Act]:
        with self.path.open(encoding="utf-8") as lines:
            for line in lines:
                at, name, request = json.loads(line)
                yield Act(dt.datetime.fromisoformat(at), name, request)

    def write(self, act: Act) -> None:
        self._file.write(json.dumps([act.at.isoformat(), act.name, act.request]) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def _cut_torn_end(self) -> None:
        """A process killed in the middle of a line leaves a part of it: nobody was answered yet."""
        if self.path.exists():
            content = self.path.read_bytes()
            self.path.write_bytes(content[: content.rfind(b"\n") + 1])
