"""The accounts of the demo: everybody may know these passwords, so they are made nowhere else."""

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
