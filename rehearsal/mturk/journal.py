"""What was done, act by act, so that a marketplace can be stopped and started again."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any


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
