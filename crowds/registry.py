"""The crowds HITs can be offered to: the packages that `settings.CROWDS` names.

Each package has a `CROWD` (`crowds.visitors.Crowd`) and a function `connect(hurried=…)` that reads
the settings and returns its `crowds.gateway.Gateway`. Only `connect` imports a crowd's libraries,
so that nobody needs those of a crowd they do not use.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final, cast

from django.conf import settings
from prometheus_client import Counter

from crowds.gateway import CrowdError, Gateway, PermanentFault, TransientFault, UnclearOutcome
from crowds.visitors import Crowd

logger = logging.getLogger(__name__)

MODULES: Final = {path.rpartition(".")[2]: path for path in settings.CROWDS}
FAULTS: Final = Counter("da_crowd_faults", "Calls to crowds that failed.", ["crowd", "fault"])
MALFORMED: Final = (
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


def crowd_named(name: str) -> Crowd:
    """What is known of a crowd without its account. One that is gone still has a name."""
    crowd: Crowd = import_module(MODULES[name]).CROWD if name in MODULES else Crowd()
    return crowd


LABELS: Final = {name: crowd_named(name).label for name in MODULES}
# People whom no marketplace knows belong to the crowd that is none.
OWN: Final = next(name for name in MODULES if not crowd_named(name).is_marketplace)


def marketplaces() -> list[str]:
    """The crowds that name people and report what they did."""
    return [name for name in MODULES if crowd_named(name).is_marketplace]


def connect(name: str, *, hurried: bool = False) -> Gateway:
    """The gateway to a crowd, ready to be called.

    `hurried` is for asking while somebody waits for a page: each question is asked once, and given
    up after seconds instead of minutes, so that a crowd that hangs does not hold the request.
    Raises PermanentFault, in one sentence for the organiser, when there is no such crowd or when
    its settings are missing or wrong as far as can be told without calling it.
    """
    if name not in MODULES:
        raise PermanentFault(f"There is no crowd called “{name}”.")
    gateway: Gateway = import_module(MODULES[name]).connect(hurried=hurried)
    return guarded(gateway)


def guarded(gateway: Gateway) -> Gateway:
    """The same gateway, which raises nothing but CrowdError, and counts each.

    What comes over the wire may be JSON and yet not what was promised: a member is missing, a
    number is a list. Reading it then fails anywhere in a gateway. Whatever was asked may have been
    done all the same, so an act is unclear; reading can simply be tried again.
    """
    return cast(Gateway, _Guarded(gateway))


class _Guarded:
    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._gateway, name)
        return self._translated(name, found) if callable(found) else found

    def _translated(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self._guard(name):
                answer = method(*args, **kwargs)
            return self._listed(name, answer) if isinstance(answer, Iterator) else answer

        return call

    def _listed(self, name: str, answer: Iterator[Any]) -> Iterator[Any]:
        with self._guard(name):
            yield from answer

    @contextlib.contextmanager
    def _guard(self, name: str) -> Iterator[None]:
        """Nothing but a CrowdError comes out of the block, and each is counted."""
        try:
            yield
        except CrowdError as known:
            self._count(known)
            raise
        except MALFORMED as error:
            fault = self._fault(name, error)
            self._count(fault)
            raise fault from error

    def _count(self, fault: CrowdError) -> None:
        FAULTS.labels(self._gateway.facts.name, type(fault).__name__).inc()

    def _fault(self, name: str, error: Exception) -> TransientFault | UnclearOutcome:
        label = self._gateway.facts.label
        logger.error("%s: the answer to %s made no sense", label, name, exc_info=error)
        sentence = f"{label} gave an answer that makes no sense."
        return TransientFault(sentence) if name in READING else UnclearOutcome(sentence)
