"""Passwords: what keeping and checking one costs, and how many are checked at once."""

from __future__ import annotations

import contextlib
import fcntl
import tempfile
import threading
from collections.abc import Iterator

from django.conf import settings
from django.contrib.auth import hashers


class Argon2PasswordHasher(hashers.Argon2PasswordHasher):
    """Argon2id with OWASP's parameters for a server: 19 MiB, two passes, one lane.

    Django's own (100 MiB, eight lanes) occupies every core of a small machine, and a few log-ins
    at once its memory. Passwords kept with other parameters still hold: they are kept with these
    when their owner logs in next.
    """

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1


class Busy(RuntimeError):
    """As many passwords are being checked as may be at once."""


class Slots:
    """So many at once on this machine, counted over all processes forked from this one.

    A slot is a byte of a file that is open in all of them: a process that dies gives its locks
    back, which a semaphore would not. Locks of a file hold between processes; hence one thread of
    each process at a time.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process is
        self._thread = threading.Lock()

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        """Hold a slot during the block; Busy at once where there is none."""
        if not self._thread.acquire(blocking=False):
            raise Busy
        try:
            slot = self._free_slot()
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, slot)
        finally:
            self._thread.release()

    def _free_slot(self) -> int:
        for slot in range(settings.LOGINS_AT_ONCE):
            with contextlib.suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, slot)
                return slot
        raise Busy


SLOTS = Slots()
