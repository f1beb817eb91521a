"""A real worker, killed (-9) in the middle of writing a file: another one writes the same bytes."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.stage import PATIENCE, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
STATUS = (
    "SELECT status, COALESCE(json_extract(progress, '$.rows'), 0), rows, size FROM analysis_export"
)


@pytest.fixture
def environment(tmp_path, broker) -> dict[str, str]:
    """A folder with everything of a platform in it, and a queue."""
    return os.environ | {
        "DEBUG": "true",
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3",
        "CELERY_BROKER_URL": broker.url(),
        "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "daplatform.settings",
    }


def run(environment: dict[str, str], *command: str) -> None:
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


@contextlib.contextmanager
def worker(environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tests.faults.exporting", "work", environment["DATA_DIR"]]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def export(folder: Path) -> tuple[str, int, int, int | None]:
    address = f"file:{folder}/db.sqlite3?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True, timeout=30)) as database:
        return database.execute(STATUS).fetchone()


def wait_until(wanted, folder: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not wanted(*export(folder)):
        assert time.monotonic() < deadline, f"never came: {export(folder)}"
        time.sleep(0.01)


def test_a_file_whose_worker_was_killed_has_the_same_bytes(environment, tmp_path):
    run(environment, "manage.py", "migrate", "--verbosity", "0")
    run(environment, "-m", "tests.faults.exporting", "ask", str(tmp_path))
    with worker(environment | {"DIES_AFTER": "20"}) as process:
        assert process.wait(PATIENCE) == -signal.SIGKILL
    assert export(tmp_path)[:3] == ("running", 21, 500)
    assert not list(tmp_path.glob("exports/*/*/ratings.csv"))  # no half of it can be fetched
    assert list(tmp_path.glob("exports/*/*/*.part"))
    with worker(environment):
        wait_until(lambda status, *_: status == "done", tmp_path)
    (made,) = tmp_path.glob("exports/*/*/ratings.csv")
    run(environment, "-m", "tests.faults.exporting", "write", str(tmp_path / "undisturbed.csv"))
    assert made.read_bytes() == (tmp_path / "undisturbed.csv").read_bytes()
    assert export(tmp_path)[1:] == (500, 500, made.stat().st_size)
