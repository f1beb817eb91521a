"""`make demo`: the whole platform with a demo campaign, on this machine, until Ctrl-C.

Everything is made once and kept below DATA_DIR, so a second start takes seconds and never
duplicates anything.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import django
from django.core.management import call_command

from hits.demo.people import LOG_INS

PORT = os.environ.get("PORT", "8000")
ADDRESS = f"http://127.0.0.1:{PORT}/"
WEB = [sys.executable, "-m", "gunicorn", "daplatform.wsgi", "--bind", f"127.0.0.1:{PORT}"]
WORKER = [sys.executable, "-m", "celery", "--quiet", "-A", "daplatform", "worker", "--beat"]
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "daplatform.settings",
    "PUBLIC_URL": ADDRESS,
    "LOG_LEVEL": "WARNING",
}
Processes = list[subprocess.Popen[bytes]]


def main() -> None:
    require_free_port()
    processes: Processes = []
    try:
        prepare()
        processes += start()
        wait_until_ready(processes)
        people = ", ".join(f"{name} / {password}" for name, password, _ in LOG_INS)
        sys.stdout.write(
            f"DA Platform is ready at {ADDRESS}  Log in as {people}. Ctrl-C stops it.\n"
        )
        sys.stdout.flush()
        while all(process.poll() is None for process in processes):
            time.sleep(0.5)
        sys.exit("A part of the demo ended by itself; its message is above.")
    except KeyboardInterrupt:
        sys.stdout.write("\nStopped. `make demo` starts it again as you left it.\n")
    finally:
        stop(processes)


def require_free_port() -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", int(PORT)))
        except (OSError, OverflowError, ValueError):
            sys.exit(f"Port {PORT} cannot be used. Choose another: make demo PORT=8001")


def prepare() -> None:
    """All in this process: to start Django three times would double the wait for a second start."""
    os.environ.update(SETTINGS)
    django.setup()
    call_command("migrate", verbosity=0)
    call_command("demo_campaign")
    call_command("demo_crowd")


def start() -> Processes:
    """The web server, and one worker for every queue; each its own group, so that we end them."""
    web = [*WEB, "--workers", "2", "--threads", "4", "--log-level", "warning"]
    queues = ["--queues", "default,crowd,gpu", "--concurrency", "1"]
    commands = [web, [*WORKER, *queues, "--loglevel", "WARNING"]]
    return [subprocess.Popen(command, start_new_session=True) for command in commands]  # noqa: S603


def wait_until_ready(processes: Processes) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if any(process.poll() is not None for process in processes):
            sys.exit("The demo could not start; its message is above.")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(PORT))) == 0:
                return
        time.sleep(0.1)
    sys.exit("The web server did not answer within a minute.")


def stop(processes: Processes) -> None:
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    # A plain `kill` stops everything just as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()
