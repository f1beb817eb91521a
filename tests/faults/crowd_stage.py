"""Workers and a broker beside the stage, to be killed, cut off and started again."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence

import psycopg2

from tests.faults.stage import PATIENCE, ROOT, Stage

DONE = "SELECT count(*) FROM crowds_outboxmessage WHERE state = 'done'"
WAITING = "SELECT count(*) FROM crowds_outboxmessage WHERE state NOT IN ('done', 'failed')"


@contextlib.contextmanager
def worker(
    site: Stage,
    *,
    beat: bool = True,
    queues: str = "default,crowd",
    inside: Sequence[str] = (),
    **environment: str,
) -> Iterator[subprocess.Popen[bytes]]:
    """Takes what crowds are to be told, and looks every few seconds for what was left behind."""
    command = ["celery", "--quiet", "-A", "daplatform", "worker"]
    command += ["--queues", queues, "--concurrency", "1", "--loglevel", "ERROR"]
    command += ["--hostname", f"worker-{time.monotonic_ns()}@%h", *(["--beat"] if beat else [])]
    with program(site, command, inside=inside, **environment) as process:
        yield process


@contextlib.contextmanager
def program(
    site: Stage, command: list[str], *, inside: Sequence[str] = (), **environment: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A module that runs, on another machine if asked; killed in the end."""
    process = subprocess.Popen(
        [*inside, sys.executable, "-m", *command],
        cwd=ROOT,
        env=site.environment | environment,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """At once, with its children, as by a power cut."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def ask(site: Stage, query: str) -> int:
    with contextlib.closing(psycopg2.connect(site.dsn)) as base, base.cursor() as cursor:
        cursor.execute(query)
        base.commit()
        return cursor.fetchone()[0] if cursor.description else 0


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 2 * PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def claims_are_old(site: Stage) -> None:
    """As if the minutes had passed after which a worker that says nothing counts as dead."""
    ask(
        site,
        "UPDATE crowds_outboxmessage SET claimed_at = now() - interval '1 hour' "
        "WHERE state = 'claimed'",
    )
