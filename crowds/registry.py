"""The crowds HITs can be offered to: the packages that `settings.CROWDS` names.

Each package has a `CROWD` (`crowds.visitors.Crowd`) and a function `connect(hurried=…)` that reads
the settings and returns its `crowds.gateway.Gateway`. Only `connect` imports a crowd's libraries,
so that nobody needs those of a crowd they do not use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from django.conf import settings

from crowds.careful import careful
from crowds.gateway import Gateway, PermanentFault
from crowds.visitors import Crowd

MODULES: Final = {path.rpartition(".")[2]: path for path in settings.CROWDS}


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
    return careful(gateway)
