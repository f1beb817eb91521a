"""What the units in deploy/ start, so that what is measured is what is deployed."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parents[2]
CHECKOUT = "/srv/daplatform"
RUN = "/run/daplatform"


@dataclass(frozen=True)
class Unit:
    """A program with what its unit sets: environment, and whether it leaves the rest its turn."""

    command: list[str]
    environment: dict[str, str]
    is_idle: bool

    @property
    def argv(self) -> list[str]:
        assigned = [f"{key}={value}" for key, value in self.environment.items()]
        return [*(["chrt", "--idle", "0"] if self.is_idle else []), "env", *assigned, *self.command]


def read_unit(text: str, *, run: Path, instance: str = "") -> Unit:
    """A unit's program, run from this checkout, with `run` in place of /run/daplatform.

    >>> unit = "CPUSchedulingPolicy=idle\\nEnvironment=A=1 B=2\\nExecStart=/bin/echo $B %i %%h"
    >>> read_unit(unit, run=Path("/tmp"), instance="gpu").argv
    ['chrt', '--idle', '0', 'env', 'A=1', 'B=2', '/bin/echo', '2', 'gpu', '%h']
    """
    lines = [line.partition("=") for line in text.splitlines() if not line.startswith("#")]
    given = [(key, value) for key, _, value in lines]
    words = [word for key, value in given if key == "Environment" for word in shlex.split(value)]
    environment = dict(word.split("=", 1) for word in words)
    start = next((value for key, value in given if key == "ExecStart"), "")
    if not start:
        raise ValueError("text must have a line ExecStart=")
    start = start.replace("%i", instance).replace("%%", "%")
    start = start.replace(f"{CHECKOUT}/.venv/bin", str(Path(sys.executable).parent))
    start = Template(start.replace(RUN, str(run))).substitute(environment)
    return Unit(shlex.split(start), environment, ("CPUSchedulingPolicy", "idle") in given)


def deployed(name: str, *, run: Path) -> Unit:
    """The unit as deploy/ has it: `da-web`, `da-beat`, `da-worker@gpu`."""
    template, at, instance = name.partition("@")
    text = (ROOT / "deploy" / f"{template}{at}.service").read_text(encoding="utf-8")
    return read_unit(text, run=run, instance=instance)
