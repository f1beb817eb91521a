"""Services that hang: stopped by a signal, they keep their connections and answer nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator

from tests.faults.stage import Part


@contextlib.contextmanager
def stopped(part: Part) -> Iterator[None]:
    """The whole service, with the children it has, until the block is left."""
    assert part.process is not None
    pids = [part.process.pid]
    try:
        send(pids, signal.SIGSTOP)  # from here on it has no new children
        pids += part.children()
        send(pids, signal.SIGSTOP)
        yield
    finally:
        send(pids, signal.SIGCONT)


def send(pids: list[int], sign: signal.Signals) -> None:
    """To those that are still there: a server's children come and go."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sign)


def quiet(command: list[str], port: int, **options: object) -> Part:
    """A service that was started, and says nothing."""
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    part = Part(command, port, **silent, **options)
    part.start()
    return part
