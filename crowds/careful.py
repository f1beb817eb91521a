"""A gateway that keeps its rule when a crowd talks nonsense: only CrowdError leaves it, counted.

What comes over the wire may be JSON and yet not what was promised: a member is missing, a number
is a list. Reading it then fails anywhere in a gateway. Whatever was asked may have been done all
the same, so an act is unclear; reading can simply be tried again.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

from prometheus_client import Counter

from crowds.gateway import CrowdError, Gateway, TransientFault, UnclearOutcome

logger = logging.getLogger(__name__)
FAULTS: Final = Counter("da_crowd_faults", "Calls to crowds that failed.", ["crowd", "fault"])
NONSENSE: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
READING: Final = frozenset(
    {
        "balance",
        "bonuses",
        "check",
        "find",
        "find_bonus",
        "price",
        "publications",
        "submission",
        "submissions",
    }
)


def careful(gateway: Gateway) -> Gateway:
    """The same gateway, for callers that must not fall over what a crowd says."""
    return cast(Gateway, _Careful(gateway))


class _Careful:
    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._gateway, name)
        return self._translated(name, found) if callable(found) else found

    def _translated(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self._watched(name):
                answer = method(*args, **kwargs)
            return self._listed(name, answer) if isinstance(answer, Iterator) else answer

        return call

    def _listed(self, name: str, answer: Iterator[Any]) -> Iterator[Any]:
        with self._watched(name):
            yield from answer

    @contextlib.contextmanager
    def _watched(self, name: str) -> Iterator[None]:
        """Nothing but a CrowdError comes out of the block, and each is counted."""
        try:
            yield
        except CrowdError as fault:
            self._count(fault)
            raise
        except NONSENSE as error:
            nonsense = self._fault(name, error)
            self._count(nonsense)
            raise nonsense from error

    def _count(self, fault: CrowdError) -> None:
        FAULTS.labels(self._gateway.facts.name, type(fault).__name__).inc()

    def _fault(self, name: str, error: Exception) -> TransientFault | UnclearOutcome:
        label = self._gateway.facts.label
        logger.error("%s: the answer to %s made no sense", label, name, exc_info=error)
        sentence = f"{label} answered something that makes no sense."
        return TransientFault(sentence) if name in READING else UnclearOutcome(sentence)
