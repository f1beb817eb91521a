"""The whole site on loopback: the units of deploy/ on PostgreSQL and Redis, or on one file."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.load.units import ROOT, deployed
from benchmarks.load.watch import cpu, family
from benchmarks.load.wire import HOST, ORIGIN, Wire
from tests.services import free_port, postgres_cluster, program, server_user, wait_for

UNITS = ("da-web", "da-worker@default", "da-worker@crowd", "da-worker@gpu", "da-beat")
SERVERS = ("postgres", "redis")
PATIENCE = 120.0
REST_SECONDS = 3.0


class Site:
    """Programs that were started, by name, and the folder they work in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "web.sock"
        self.wire = Wire(self.socket)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.environment = {
            "DATA_DIR": str(folder / "data"),
            "DJANGO_SETTINGS_MODULE": "daplatform.settings",
            "SECRET_KEY": "for-this-run-only",
            "ALLOWED_HOSTS": HOST,
            "PUBLIC_URL": ORIGIN,
            "BEHIND_PROXY": "true",
            "DEBUG": "false",
            "METRICS_TOKEN": "for-this-run-only",
        }

    def start(self, name: str, command: list[str], user: str | None = None) -> None:
        """In a group of its own; what it says goes to a file beside the data.

        All are of one session: the kernel may share the processors out among sessions first, and
        a program that stands back would do so only within its own.
        """
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                command,
                cwd=ROOT,
                env=os.environ | self.environment,
                user=user,
                process_group=0,
                stdout=log,
                stderr=log,
            )

    def start_unit(self, name: str) -> None:
        self.start(name, deployed(name, run=self.folder).argv)

    def start_units(self) -> None:
        """All of deploy/, each process past its start: that is not what is measured."""
        for name in UNITS:
            self.start_unit(name)
        wait_until(self._web_is_ready, "gunicorn", self.folder / "da-web.log")
        wait_until(self._workers_are_ready, "Celery", self.folder / "da-worker@default.log")
        self._warm_up()

    def _web_is_ready(self) -> bool:
        with contextlib.suppress(OSError):
            return asyncio.run(self.wire.ask("GET", "/readyz")).status == 200
        return False

    def _workers_are_ready(self) -> bool:
        from daplatform.celery import app

        return len(app.control.ping(timeout=1.0)) == sum("worker" in name for name in UNITS)

    def stop(self) -> None:
        """The last started first: the database outlives those who use it."""
        for name, process in reversed(self.processes.items()):
            process.send_signal(signal.SIGINT if name == "postgres" else signal.SIGTERM)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def pids(self) -> dict[str, int]:
        return {name: process.pid for name, process in self.processes.items()}

    def _warm_up(self) -> None:
        """Every task of beat's once, for a worker loads what it needs with its first task."""
        from daplatform.celery import app

        for entry in app.conf.beat_schedule.values():
            app.send_task(entry["task"])
        wait_until(self._is_at_rest, "a worker", self.folder / "da-worker@gpu.log")

    def _is_at_rest(self) -> bool:
        before = self._cpu()
        time.sleep(REST_SECONDS)
        return self._cpu() - before < 0.1 * REST_SECONDS

    def _cpu(self) -> float:
        return sum(cpu(pid) for root in self.pids().values() for pid in family(root))


@contextlib.contextmanager
def site(*, sqlite: bool = False) -> Iterator[Site]:
    """The site with its tables and static files, not yet answering; Django is set up on it here."""
    with tempfile.TemporaryDirectory(prefix="da-load-") as folder:
        os.chmod(folder, 0o755)  # PostgreSQL runs as somebody else
        made = Site(Path(folder))
        try:
            if not sqlite:
                _start_servers(made)
            _set_up(made)
            yield made
        finally:
            made.stop()


def wait_until(ready: Callable[[], bool], name: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{name} did not answer: {log.read_text()[-2000:]}")
        time.sleep(0.2)


def _start_servers(made: Site) -> None:
    base, broker = free_port(), free_port()
    cluster = tempfile.mkdtemp(prefix="postgres-", dir=made.folder)
    made.start("postgres", postgres_cluster(cluster, base, durable=True), server_user())
    redis = [program("redis-server"), "--port", str(broker), "--bind", "127.0.0.1"]
    made.start("redis", [*redis, "--dir", str(made.folder), "--save", ""])
    for name, port in (("postgres", base), ("redis", broker)):
        wait_for(port, made.processes[name])
    made.environment |= {
        "DATABASE_URL": f"postgres://da@127.0.0.1:{base}/postgres",
        "CELERY_BROKER_URL": f"redis://127.0.0.1:{broker}/0",
    }


def _set_up(made: Site) -> None:
    os.environ |= made.environment
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
