"""A PostgreSQL that has stopped answering, without hanging up: libpq would wait for it for ever.

TCP's own timeouts do not help, for the kernel of a hung server goes on saying that it received
everything. So a thread looks each second for statements that are overdue and hangs up for them.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import psycopg2
from psycopg2.extensions import connection, cursor

logger = logging.getLogger(__name__)
CONNECT_SECONDS = 5
PAUSE_SECONDS = 2.0  # between two tries of a server that was silent
# Beyond the limit that the server keeps by itself, so that a statement which is merely slow is
# ended there and not left running.
GRACE_SECONDS = 2


def options(seconds: int) -> dict[str, Any]:
    """For Django's OPTIONS: no statement takes longer than so many seconds; 0 for no limit.

    Keepalives are for machines that are cut off: both sides then let go within a minute, and with
    them the server of the locks.
    """
    keepalives = {"idle": 30, "interval": 10, "count": 3}
    session = {f"tcp_keepalives_{name}": value for name, value in keepalives.items()}
    session["statement_timeout"] = 1000 * seconds
    return {
        "connect_timeout": CONNECT_SECONDS,
        "tcp_user_timeout": 30_000,
        **{f"keepalives_{name}": value for name, value in keepalives.items()},
        "options": " ".join(f"-c {name}={value}" for name, value in session.items()),
        "cursor_factory": PatientCursor,
        "connection_factory": partial(
            PatientConnection, seconds=seconds + GRACE_SECONDS if seconds else 0
        ),
    }


class Silence:
    """Whether the server was silent a moment ago: then one caller tries again, and others do not
    wait for it but fail at once."""

    def __init__(self) -> None:
        self._until = 0.0
        self._lock = threading.Lock()

    def refuse_meanwhile(self) -> None:
        if not self._until:
            return
        with self._lock:
            if time.monotonic() < self._until:
                raise psycopg2.OperationalError("PostgreSQL did not answer a moment ago.")
            self.begins()

    def begins(self) -> None:
        self._until = time.monotonic() + PAUSE_SECONDS

    def ends(self) -> None:
        self._until = 0.0


class Overdue:
    """Statements under way: when each is overdue, and on which socket."""

    def __init__(self) -> None:
        self._due: dict[int, tuple[float, int]] = {}
        self._lock = threading.Lock()  # nobody closes a socket while it is looked at
        self._is_watched = False

    @contextlib.contextmanager
    def watching(self, file: int, seconds: float) -> Iterator[None]:
        """Hang up when the block takes longer, which it then hears as a lost connection."""
        key = threading.get_ident()
        with self._lock:
            self._due[key] = time.monotonic() + seconds, file
            if not self._is_watched:
                self._is_watched = True
                threading.Thread(target=self._watch, name="overdue", daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                is_cut = self._due.pop(key, None) is None
            if is_cut:
                silence.begins()

    def _watch(self) -> None:
        while True:
            time.sleep(1)
            with self._lock:
                for key, (due, file) in list(self._due.items()):
                    if due < time.monotonic():
                        del self._due[key]
                        logger.warning("PostgreSQL does not answer: a statement is given up.")
                        hang_up(file)


def hang_up(file: int) -> None:
    """End both directions of a socket that somebody else reads from."""
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(file)) as copy:
        copy.shutdown(socket.SHUT_RDWR)


silence, overdue = Silence(), Overdue()
os.register_at_fork(after_in_child=overdue.__init__)  # type: ignore[misc]


class PatientConnection(connection):  # type: ignore[misc]
    """Waits so many seconds for each answer; with 0, for ever."""

    def __init__(self, *args: Any, seconds: int, **kwargs: Any) -> None:
        self.seconds = seconds
        silence.refuse_meanwhile()
        begun = time.monotonic()
        try:
            super().__init__(*args, **kwargs)
        except psycopg2.OperationalError:
            if time.monotonic() - begun >= CONNECT_SECONDS - 1:
                silence.begins()
            raise
        silence.ends()

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        if not self.seconds or self.closed:
            yield
            return
        silence.refuse_meanwhile()
        with overdue.watching(self.fileno(), self.seconds):
            yield
        silence.ends()

    def commit(self) -> None:
        with self.answering():
            super().commit()

    def rollback(self) -> None:
        with self.answering():
            super().rollback()


class PatientCursor(cursor):  # type: ignore[misc]
    """A cursor of such a connection: each method here waits for the server."""

    connection: PatientConnection

    def execute(self, *args: Any, **kwargs: Any) -> None:
        with self.connection.answering():
            super().execute(*args, **kwargs)

    def executemany(self, *args: Any, **kwargs: Any) -> None:
        with self.connection.answering():
            super().executemany(*args, **kwargs)

    def fetchmany(self, *args: Any, **kwargs: Any) -> Any:
        with self.connection.answering():
            return super().fetchmany(*args, **kwargs)

    def copy_expert(self, *args: Any, **kwargs: Any) -> None:
        with self.connection.answering():
            super().copy_expert(*args, **kwargs)
