"""The people of the demo: accounts whose passwords everybody may know."""

from __future__ import annotations

from typing import NamedTuple


class LogIn(NamedTuple):
    """A demo account and the group it belongs to."""

    username: str
    password: str
    group: str


LOG_INS = (
    LogIn("organiser", "demo-organiser", "organisers"),
    LogIn("analyst", "demo-analyst", "analysts"),
)
