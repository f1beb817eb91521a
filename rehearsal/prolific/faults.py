"""Things that go wrong on demand."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    """How a request goes wrong, and whether it is carried out all the same."""

    ERROR = "error"  # 500, nothing done
    ERROR_AFTER = "error_after"  # 500, done
    THROTTLE = "throttle"  # 429 with Retry-After, nothing done
    REFUSE = "refuse"  # 400, nothing done
    DROP_BEFORE = "drop_before"  # no answer, nothing done
    DROP_AFTER = "drop_after"  # no answer, done
    SLOW = "slow"  # done, answered after the client gave up
    GARBLE = "garble"  # done, answered with something that is no JSON


@dataclass
class _Planned:
    fault: Fault
    call: re.Pattern[str]
    times: int


class Faults:
    """Which of the coming requests go wrong."""

    def __init__(self) -> None:
        self._planned: list[_Planned] = []
        self._lock = threading.Lock()

    def plan(self, fault: Fault, call: str, *, times: int = 1) -> None:
        """Let the next calls that match go wrong: a pattern for `POST /api/v1/…`."""
        with self._lock:
            self._planned.append(_Planned(fault, re.compile(call), times))

    def take(self, call: str) -> Fault | None:
        with self._lock:
            for planned in self._planned:
                if planned.times and planned.call.search(call):
                    planned.times -= 1
                    return planned.fault
        return None

    def clear(self) -> None:
        with self._lock:
            self._planned.clear()
