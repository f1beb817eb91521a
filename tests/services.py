"""Private PostgreSQL and Redis servers in a temporary folder, for tests and benchmarks.

`python -m tests.services COMMAND …` runs a command with both behind it: DATABASE_URL and
REDIS_URL are set, and the servers are stopped when it ends. A server that is not installed is
left out, and said; with CI=true it is a failure, because tests must not pass by not running.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pwd
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

POSTGRES_FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
# The module of nginx that deploy/nginx.conf asks for.
HEADERS_MORE = Path("/usr/lib/nginx/modules/ngx_http_headers_more_filter_module.so")
# Safe for throw-away data only: a test database need not survive a power cut.
FAST = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]

PORTS = range(20_000, 32_000)
MIGRATED = "migrated"
SIZES = ["-c", "max_connections=300", "-c", "shared_buffers=512MB", "-c", "max_wal_size=4GB"]


class ServiceMissing(RuntimeError):
    """The server's program is not installed."""


def program(name: str, *folders: Path) -> str:
    """Where the program is, looking into the given folders first."""
    places = [*map(str, folders), os.environ.get("PATH", "")]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        raise ServiceMissing(f"{name} is not installed")
    return found


def program_or_skip(name: str, *folders: Path) -> str:
    """Where a program is; without it a test is skipped, and under CI=true it fails."""
    try:
        return program(name, *folders)
    except ServiceMissing as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))


def free_port() -> int:
    """A port for a server that is still to be started; nobody else gets it meanwhile.

    It lies below those that the system itself gives to connections, and stays locked against
    other test processes until this one ends.
    """
    for port in random.SystemRandom().sample(PORTS, len(PORTS)):
        if is_ours(f"port-{port}") and _is_free(port):
            return port
    raise RuntimeError("every port is taken")


def is_ours(name: str) -> bool:
    """Whether nobody else on this machine has it, whose from now on it is until this process ends.

    However that ends, its locks end with it; so the file may stay.
    """
    file = os.open(f"{tempfile.gettempdir()}/da-{name}", os.O_CREAT | os.O_RDWR, 0o666)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return False
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def wait_for(port: int, process: subprocess.Popen[bytes], seconds: float = 120) -> None:
    """Until the port answers, or the server has died, or time is up."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"server ended with code {process.returncode} before it answered")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"no answer on port {port} after {seconds:.0f} s")


@contextlib.contextmanager
def server(
    command: list[str], port: int, *, user: str | None = None, env: dict[str, str] | None = None
) -> Iterator[int]:
    """The command running, in its own process group, until the block is left; gives its pid."""
    process = subprocess.Popen(
        command,
        user=user,
        env=env,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port, process)
        yield process.pid
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for_postgres(port: int, seconds: float = 120) -> None:
    """Until it takes clients: its port answers before that, and it refuses everybody."""
    asked = [program("pg_isready", *POSTGRES_FOLDERS), "-q", "-h", "127.0.0.1", "-p", str(port)]
    deadline = time.monotonic() + seconds
    while subprocess.run(asked, check=False).returncode:
        if time.monotonic() > deadline:
            raise RuntimeError(f"PostgreSQL took no client after {seconds:.0f} s")
        time.sleep(0.02)


def server_user() -> str | None:
    """PostgreSQL refuses to run as root: whom it runs as instead."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def postgres_cluster(
    folder: str, port: int, *, durable: bool, like: Path | None = None
) -> list[str]:
    """A new cluster in the folder, or a copy of another's data; gives the command that serves it.

    It is for `server_user` to run.
    """
    initdb, binary = (program(name, *POSTGRES_FOLDERS) for name in ("initdb", "postgres"))
    user, data = server_user(), f"{folder}/data"
    if user:
        shutil.chown(folder, user)
    make = [initdb, "-D", data, "-U", "da", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"]
    if like is not None:
        subprocess.run(["cp", "-a", like, data], check=True)  # as root, who may read it
    else:
        subprocess.run(make, user=user, check=True, stdout=subprocess.DEVNULL)
    listen = ["-c", "listen_addresses=127.0.0.1", "-k", folder, "-p", str(port)]
    options = [*SIZES, *([] if durable else FAST)]
    return [binary, "-D", data, *listen, *options]


@contextlib.contextmanager
def postgres(*, durable: bool = False, like: Path | None = None) -> Iterator[str]:
    """A new PostgreSQL cluster, or a copy of one; gives its DATABASE_URL."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="da-pg-") as folder:
        command = postgres_cluster(folder, port, durable=durable, like=like)
        with server(command, port, user=server_user()):
            wait_for_postgres(port)
            yield f"postgres://da@127.0.0.1:{port}/postgres"


def migrated_cluster(kept: Path) -> Path:
    """The data of a cluster whose database MIGRATED has every table, made once and kept there.

    Migrating takes many times as long as copying what comes of it.
    """
    kept.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{kept}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several processes of one run share it
        if not kept.exists():
            _make_migrated(kept)
    return kept


def _make_migrated(kept: Path) -> None:
    port, root = free_port(), Path(__file__).parent.parent
    with tempfile.TemporaryDirectory(prefix="da-pg-") as folder:
        command = postgres_cluster(folder, port, durable=False)
        with server(command, port, user=server_user()):
            wait_for_postgres(port)
            address = f"postgres://da@127.0.0.1:{port}/"
            createdb = program("createdb", *POSTGRES_FOLDERS)
            subprocess.run([createdb, f"--maintenance-db={address}postgres", MIGRATED], check=True)
            subprocess.run(
                [sys.executable, "manage.py", "migrate", "--skip-checks", "--verbosity", "0"],
                cwd=root,
                env=os.environ | {"DEBUG": "true", "DATABASE_URL": address + MIGRATED},
                check=True,
            )
        subprocess.run(["cp", "-a", f"{folder}/data", f"{kept}.part"], check=True)
    os.rename(f"{kept}.part", kept)


@contextlib.contextmanager
def redis() -> Iterator[str]:
    """A new, empty Redis that writes nothing to disk; gives its URL."""
    binary = program("redis-server")
    port = free_port()
    with (
        tempfile.TemporaryDirectory(prefix="da-redis-") as folder,
        server(
            [binary, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""],
            port,
        ),
    ):
        yield f"redis://127.0.0.1:{port}/0"


def main(command: list[str]) -> int:
    """Run the command with every service that can be had."""
    environment = dict(os.environ)
    with contextlib.ExitStack() as stack:
        for variable, service in (("DATABASE_URL", postgres), ("REDIS_URL", redis)):
            try:
                environment[variable] = stack.enter_context(service())
            except ServiceMissing as missing:
                sys.stderr.write(f"services: {missing}; tests that need it cannot run.\n")
                if os.environ.get("CI") == "true":
                    return 1
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
