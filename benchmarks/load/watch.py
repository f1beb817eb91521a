"""Memory and processor time of every process of the site, read from /proc while it works."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SAMPLE_SECONDS = 2.0
TICKS = os.sysconf("SC_CLK_TCK")
PRIVATE = ("Private_Clean:", "Private_Dirty:")
# A process may fill its caches; what goes on growing does so by more than this in a run.
FLAT_MB, FLAT_SHARE = 8.0, 0.08


@dataclass
class Course:
    """One process, or one server with many: its memory over time, and its processor seconds."""

    times: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    cpu: float = 0.0

    def thirds(self) -> tuple[float, float]:
        """Mean memory in the first and in the last third."""
        part = max(1, len(self.megabytes) // 3)
        return statistics.fmean(self.megabytes[:part]), statistics.fmean(self.megabytes[-part:])

    def slope(self) -> float:
        """Megabytes a minute, by least squares."""
        if len(self.times) < 2:
            return 0.0
        return 60 * statistics.linear_regression(self.times, self.megabytes).slope

    def is_flat(self) -> bool:
        first, last = self.thirds()
        return last - first <= max(FLAT_MB, FLAT_SHARE * first)


class Watch:
    """Samples the trees below the named processes; servers that fork a lot are summed up."""

    def __init__(self, roots: dict[str, int], *, summed: tuple[str, ...] = ()) -> None:
        self.roots, self.summed = roots, summed
        self.courses: defaultdict[str, Course] = defaultdict(Course)
        self.clocks: dict[int, float] = {}

    async def run(self) -> None:
        while True:
            self.sample()
            await asyncio.sleep(SAMPLE_SECONDS)

    def sample(self) -> None:
        now = time.monotonic()
        memory: defaultdict[str, float] = defaultdict(float)
        for name, root in self.roots.items():
            for pid in family(root):
                row = name if name in self.summed else f"{name} {pid}"
                memory[row] += private_mb(pid)
                self.courses[row].cpu += self._cpu_since(pid)
        for row, megabytes in memory.items():
            self.courses[row].times.append(now)
            self.courses[row].megabytes.append(megabytes)

    def _cpu_since(self, pid: int) -> float:
        """Processor seconds since the last sample, none at the first."""
        seconds = cpu(pid)
        before = self.clocks.get(pid, seconds)
        self.clocks[pid] = seconds
        return max(0.0, seconds - before)

    def report(self) -> list[str]:
        """Print the table; the names of those that grew."""
        print(f"{'':<24}{'CPU':>6}{'first third':>13}{'last third':>12}{'slope':>14}")
        for name, course in self.courses.items():
            span = max(course.times[-1] - course.times[0], SAMPLE_SECONDS)
            share = 100 * course.cpu / span
            first, last = course.thirds()
            print(
                f"{name:<24}{share:>5.0f}%{first:>10.1f} MB{last:>9.1f} MB"
                f"{course.slope():>+8.1f} MB/min"
            )
        return [name for name, course in self.courses.items() if not course.is_flat()]


def family(root: int) -> Iterator[int]:
    """A process and all below it."""
    yield root
    try:
        children = Path(f"/proc/{root}/task/{root}/children").read_text().split()
    except OSError:  # it has ended meanwhile
        return
    for child in map(int, children):
        yield from family(child)


def private_mb(pid: int) -> float:
    """Memory no other process shares; 0 once the process has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith(PRIVATE)) / 1024


def cpu(pid: int) -> float:
    """Processor seconds so far."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(after_name[11]) + int(after_name[12])) / TICKS
