"""Every test, on every database: `make test` calls this.

Three passes over one suite, with private servers behind them: everything on PostgreSQL, then
what touches a database once more on SQLite, then the browser. What was skipped is named last.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from defusedxml import ElementTree

from tests.services import ServiceMissing, postgres, redis

WORKERS = os.environ.get("WORKERS", "2")
PASSES = [
    ("everything, PostgreSQL", True, ["-m", "not browser", "-n", WORKERS]),
    (
        "database tests, SQLite",
        False,
        ["-m", "database and not browser and not postgres", "-n", WORKERS],
    ),
    ("browser, PostgreSQL", True, ["-m", "browser", "-n", WORKERS]),
]
BROWSER_AGAIN = ["-m", "browser", "--last-failed", "-n", "0"]
TESTS_FAILED, NO_TESTS = 1, 5


def run_pass(arguments: list[str], environment: dict[str, str], report: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", *arguments, f"--junitxml={report}"]
    return subprocess.run([*command, *sys.argv[1:]], env=environment, check=False).returncode


def skipped(report: Path) -> Counter[str]:
    """Reasons for which tests of one pass were skipped, with how many."""
    if not report.exists():
        return Counter()
    root = ElementTree.parse(report).getroot()
    return Counter(node.get("message", "no reason") for node in root.iter("skipped"))


def servers(stack: contextlib.ExitStack) -> dict[str, str]:
    """Start what is installed; under CI=true all of it must be."""
    addresses = {}
    for variable, service in (("POSTGRES_URL", postgres), ("REDIS_URL", redis)):
        try:
            addresses[variable] = stack.enter_context(service())
        except ServiceMissing as missing:
            if os.environ.get("CI") == "true":
                raise
            sys.stdout.write(f"{missing}: tests that need it are skipped\n")
    return addresses


def main() -> int:
    reasons: Counter[str] = Counter()
    failed = []
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        addresses = servers(stack)
        for number, (name, on_postgres, arguments) in enumerate(PASSES):
            environment = {
                **os.environ,
                "DEBUG": "true",
                "DATA_DIR": str(folder / "data"),
                **addresses,
            }
            if on_postgres and "POSTGRES_URL" in addresses:
                environment["DATABASE_URL"] = addresses["POSTGRES_URL"]
            sys.stdout.write(f"\n=== {name}\n")
            sys.stdout.flush()
            report = folder / f"{number}.xml"
            code = run_pass(arguments, environment, report)
            if code == TESTS_FAILED and "browser" in arguments:
                # A real browser on a busy machine stumbles at times; a fault fails twice.
                sys.stdout.write("\n=== once more, alone: the browser tests that failed\n")
                sys.stdout.flush()
                code = run_pass([*BROWSER_AGAIN], environment, report)
            if code not in (0, NO_TESTS):
                failed.append(name)
            reasons += skipped(report)
    for reason, count in sorted(reasons.items()):
        sys.stdout.write(f"skipped {count}: {reason}\n")
    sys.stdout.write(f"FAILED: {', '.join(failed)}\n" if failed else "All passes are green.\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
