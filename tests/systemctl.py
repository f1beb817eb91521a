"""Stands in for systemctl where no systemd runs: starts and stops what units of a folder say.

`python -m tests.systemctl ROOT start da-web …` with units in ROOT/units, process ids and logs in
ROOT/run. nginx is started with ROOT/nginx.conf. Users, limits and priorities are left out.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from fnmatch import fnmatch
from pathlib import Path

PATIENCE = 120


def main(root: Path, action: str, *names: str) -> None:
    wanted = [name for name in names if not name.startswith("-")]
    if action in ("stop", "restart"):
        stop(root, wanted)
    if action in ("start", "restart", "enable"):
        for name in wanted:
            start(root, name)


def start(root: Path, name: str) -> None:
    command, environment = nginx(root) if name == "nginx" else unit(root, name)
    (root / "run/daplatform").mkdir(parents=True, exist_ok=True)
    with open(root / "run" / f"{name}.log", "ab") as log:
        process = subprocess.Popen(
            command,
            cwd=root / "srv/daplatform",
            env=base_environment() | environment,
            start_new_session=True,
            stdout=log,
            stderr=log,
        )
    (root / "run" / f"{name}.pid").write_text(str(process.pid))
    made = re.findall(r"unix:(\S+)|pid (\S+);", " ".join(command))
    wait_until(lambda: all(Path("".join(file)).exists() for file in made))


def nginx(root: Path) -> tuple[list[str], dict[str, str]]:
    """Its file with a process id is there once it answers."""
    options = f"daemon off; pid {root}/run/nginx;"
    return ["/usr/sbin/nginx", "-c", f"{root}/nginx.conf", "-p", str(root), "-g", options], {}


def base_environment() -> dict[str, str]:
    """Units begin with next to nothing."""
    return {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}


def unit(root: Path, name: str) -> tuple[list[str], dict[str, str]]:
    """The command a unit runs, and its environment."""
    base, _, instance = name.partition("@")
    file = root / "units" / (f"{base}@.service" if instance else f"{base}.service")
    lines = file.read_text("utf-8").replace("%i", instance).replace("%%", "%").splitlines()
    entries = [line.partition("=")[::2] for line in lines if "=" in line]
    environment: dict[str, str] = {}
    for key, value in entries:
        if key == "Environment":
            environment |= dict([value.split("=", 1)])
        elif key == "EnvironmentFile" and Path(value.lstrip("-")).exists():
            text = Path(value.lstrip("-")).read_text("utf-8")
            environment |= dict(line.split("=", 1) for line in text.splitlines() if line)
    [command] = [value for key, value in entries if key == "ExecStart"]
    known = [environment.get(word.removeprefix("$"), word) for word in shlex.split(command)]
    return known, environment


def stop(root: Path, patterns: list[str]) -> None:
    for file in (root / "run").glob("*.pid"):
        if any(fnmatch(file.stem, pattern) for pattern in patterns):
            pid = int(file.read_text())
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            wait_until(lambda pid=pid: ended(pid))
            file.unlink()


def ended(pid: int) -> bool:
    """Gone, or waiting for a parent to notice."""
    try:
        return ") Z " in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_until(holds) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
