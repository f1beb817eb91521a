"""Trouble on demand: what networks and services do to a caller, done on purpose."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import StrEnum

from rehearsal.mturk.refusals import Refusal

EVERYTHING = "*"


class Trouble(StrEnum):
    """What goes wrong."""

    INTERNAL_ERROR = "internal-error"  # 500, nothing done
    SERVICE_FAULT = "service-fault"  # 400 ServiceFault, nothing done; botocore does not retry it
    THROTTLED = "throttled"  # 400 with a throttling code, nothing done; nor this
    DROP_BEFORE = "drop-before"  # the connection ends, nothing done
    DROP_AFTER = "drop-after"  # it is done, and the connection ends before the answer
    SLOW = "slow"  # it is done, and the answer takes its time
    TWICE = "twice"  # the request arrives twice; the answer is the second one's


@dataclass
class Fault:
    """A trouble that befalls the next so many calls of an operation, after letting some pass."""

    trouble: Trouble
    operation: str = EVERYTHING
    times: int = 1
    skip: int = 0
    seconds: float = 1.0


class Faults:
    """The troubles still to come, oldest first."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._waiting.append(fault)

    def clear(self) -> None:
        with self._lock:
            self._waiting.clear()

    def take(self, operation: str) -> Fault | None:
        """The trouble for this call, if there is one for it."""
        with self._lock:
            for fault in self._waiting:
                if fault.operation not in (EVERYTHING, operation):
                    continue
                if fault.skip:
                    fault.skip -= 1
                    return None
                fault.times -= 1
                if not fault.times:
                    self._waiting.remove(fault)
                return fault
        return None


def refuse_by_fault(fault: Fault | None) -> None:
    """The troubles that are answers."""
    trouble = fault.trouble if fault else None
    if trouble is Trouble.INTERNAL_ERROR:
        raise Refusal("We encountered an internal error.", kind="InternalFailure")
    if trouble is Trouble.SERVICE_FAULT:
        raise Refusal("Try your call again.", "ServiceFault", kind="ServiceFault")
    if trouble is Trouble.THROTTLED:
        raise Refusal("Rate exceeded.", "ThrottlingException")
