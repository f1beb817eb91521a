"""The crowds HITs can be offered to. A new crowd is one new file, and one line here.

Each module named below has a function `connect()`, without arguments, that reads the settings and
returns its `hits.crowds.gateway.Gateway`. It is imported when it is first asked for, so that nobody
needs the libraries of a crowd they do not use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from hits.crowds.careful import careful
from hits.crowds.gateway import Gateway, PermanentFault

MODULES: Final = {
    "invite": "hits.crowds.invite",
    "mturk": "hits.crowds.mturk",
    "prolific": "hits.crowds.prolific",
}
LABELS: Final = {
    "invite": "Invited people",
    "mturk": "Mechanical Turk",
    "prolific": "Prolific",
}


def connect(crowd: str) -> Gateway:
    """The gateway to a crowd, ready to be called.

    Raises PermanentFault, in one sentence for the organiser, when there is no such crowd or when
    its settings are missing or wrong as far as can be told without calling it.
    """
    if crowd not in MODULES:
        raise PermanentFault(f"There is no crowd called “{crowd}”.")
    gateway: Gateway = import_module(MODULES[crowd]).connect()
    return careful(gateway)
