"""Programs of the platform without their slow start.

Each is a new process all the same: forked from one that has loaded the libraries, and nothing that
looks at settings or at the environment.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from django.conf import settings

LIBRARIES = [
    *("boto3", "celery.app.base", "django.core.management", "django.db.models", "django.forms"),
    *("django.db.backends.postgresql.base", "httpx", "kombu", "numpy", "pyarrow", "pydantic"),
    *("scipy.stats", "structlog"),
]
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(LIBRARIES)


def ran(
    command: Sequence[str], environment: Mapping[str, str], folder: Path
) -> tuple[int, str, str]:
    """Exit code, output and errors of `python COMMAND` in that folder."""
    with tempfile.TemporaryDirectory() as told:
        out, errors = Path(told, "out"), Path(told, "errors")
        arguments = (list(command), dict(environment), str(folder), str(out), str(errors))
        process = _processes.Process(target=_run, args=arguments)
        process.start()
        process.join()
        assert process.exitcode is not None
        return process.exitcode, out.read_text("utf-8"), errors.read_text("utf-8")


def _run(command: list[str], environment: dict[str, str], folder: str, out: str, err: str) -> None:
    for descriptor, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), descriptor)
    assert not settings.configured
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    how, *rest = command
    if how == "-c":
        sys.argv = ["-c", *rest[1:]]
        exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
    elif how == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = command
        runpy.run_path(how, run_name="__main__")
