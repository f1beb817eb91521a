"""`make demo`: the platform and a marketplace with demo campaigns, on this machine, until Ctrl-C.

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
import segno
from django.core.management import call_command

from rehearsal.demo.people import LOG_INS
from rehearsal.management.commands.rehearse import environment

PORT = os.environ.get("PORT", "8000")
HOST = os.environ.get("HOST") or "127.0.0.1"
# Another origin than the platform's, as a marketplace is: the rating page is framed there.
MARKET_PORT = os.environ.get("MARKET_PORT") or (str(int(PORT) + 1) if PORT.isdecimal() else PORT)
MARKET = f"http://localhost:{MARKET_PORT}"
MARKETPLACE = [sys.executable, "manage.py", "rehearse", "--port", MARKET_PORT]
WEB = [sys.executable, "-m", "gunicorn", "daplatform.wsgi", "--bind", f"{HOST}:{PORT}"]
WORKER = [sys.executable, "-m", "celery", "--quiet", "-A", "daplatform", "worker"]
WORKER += ["--concurrency", "1", "--loglevel", "WARNING", "--queues"]


def reached_at() -> str:
    """The host part of the demo's address: with HOST=0.0.0.0 what a phone beside it can open.

    Asking the system which way a packet would go sends none.
    """
    if HOST != "0.0.0.0":  # noqa: S104 - compared, not bound
        return HOST
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address that documentation uses and nobody has
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


ADDRESS = f"http://{reached_at()}:{PORT}/"
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "rehearsal.settings",
    "PUBLIC_URL": ADDRESS,
    "ALLOWED_HOSTS": f"localhost,127.0.0.1,{reached_at()}",
    "LOG_LEVEL": "WARNING",
    # Root in a container is how a newcomer may well try this.
    "PYTHONWARNINGS": "ignore:You're running the worker",
    **environment(MARKET),
}
Processes = list[subprocess.Popen[bytes]]


def main() -> None:
    for port in (PORT, MARKET_PORT):
        require_free(port)
    processes: Processes = []
    try:
        prepare()
        processes += start()
        for port in (MARKET_PORT, PORT):
            wait_for(port, processes)
        call_command("demo_launch")
        announce()
        while all(process.poll() is None for process in processes):
            time.sleep(0.5)
        sys.exit("Part of the demo stopped unexpectedly; its message is above.")
    except KeyboardInterrupt:
        sys.stdout.write("\nStopped. `make demo` starts it again as you left it.\n")
    finally:
        stop(processes)


def announce() -> None:
    """Where it is and, where a phone can open that, a code to photograph."""
    people = ", ".join(f"{name} / {password}" for name, password, _ in LOG_INS)
    sys.stdout.write(
        f"DA Platform is ready at {ADDRESS}  Log in as {people}.\n"
        f"Workers of the rehearsal marketplace begin at {MARKET}/  Ctrl-C stops it all.\n"
    )
    if HOST == "0.0.0.0":  # noqa: S104 - compared, not bound
        segno.make(ADDRESS, micro=False).terminal(out=sys.stdout, compact=True)
    sys.stdout.flush()


def require_free(port: str) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", int(port)))
        except (OSError, OverflowError, ValueError):
            sys.exit(f"Port {port} cannot be used. Choose another: make demo PORT=8100")


def prepare() -> None:
    """All in this process: to start Django each time would double the wait for a second start."""
    os.environ.update(SETTINGS)
    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    call_command("demo_campaign")
    call_command("demo_crowd")
    call_command("score_demo")
    call_command("learn_demo")


def start() -> Processes:
    """Each in its own group, so that we end them. Metrics stand back behind what people want."""
    web = [*WEB, "--workers", "2", "--threads", "4", "--log-level", "warning"]
    metrics = ["nice", "-n", "10", *WORKER, "gpu", "--hostname", "gpu@%h"]
    commands = [MARKETPLACE, web, [*WORKER, "default,crowd", "--beat"], metrics]
    return [
        subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)  # noqa: S603
        for command in commands
    ]


def wait_for(port: str, processes: Processes) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if any(process.poll() is not None for process in processes):
            sys.exit("The demo could not start; its message is above.")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(port))) == 0:
                return
        time.sleep(0.1)
    sys.exit(f"Nothing answered on port {port} within a minute.")


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
