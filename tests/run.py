"""Every test, on every database: `make test` calls this.

Three passes over one suite, with private servers behind them: everything on PostgreSQL, then
what may differ on SQLite, then the browser. Tests run in a random order; its seed is printed, and
`make test SEED=3` repeats it. What was skipped is named last.
"""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from defusedxml import ElementTree

from tests.services import ServiceMissing, postgres, redis

WORKERS = os.environ.get("WORKERS", "2")
SEED = os.environ.get("SEED") or str(random.SystemRandom().randrange(2**32))
# Whoever is done takes from the others, so that no long test is left to the end of one of them.
SHARED = ["-n", WORKERS, "--dist", "worksteal", f"--randomly-seed={SEED}"]
# Where the code differs by database (bulk reading and writing, triggers, locks, JSON), and every
# page, service and task once. The rest would ask Django the same thing twice.
ON_SQLITE = [
    *("tests/access/test_lists_of_every_kind.py", "tests/access/test_query_counts.py"),
    *("tests/access/test_stored_markup.py", "tests/analysis/runs"),
    "tests/analysis/workbench_live",
    *("tests/analysis/test_results_page.py", "tests/analysis/test_reviewed_ratings.py"),
    *("tests/analysis/test_snapshot.py", "tests/analysis/workbench/test_exports.py"),
    *("tests/analysis/workbench/test_downloads.py", "tests/annotations", "tests/faults"),
    *("tests/hits/crowds_mturk/test_mturk_whole_life.py", "tests/hits/crowds_prolific"),
    *("tests/hits/test_bulk.py", "tests/hits/test_campaign_services.py"),
    *("tests/hits/test_composing.py", "tests/hits/test_import_service.py"),
    *("tests/hits/test_invariants.py", "tests/hits/test_uploads.py", "tests/test_verify.py"),
]
# Each with whether PostgreSQL is behind it, which tests it takes, and where they are.
PASSES = [
    ("everything, PostgreSQL", True, "not browser", ["tests"]),
    ("what may differ, SQLite", False, "database and not browser and not postgres", ON_SQLITE),
    ("browser, PostgreSQL", True, "browser", ["tests/browser"]),
]
NO_TESTS = 5


def run_pass(marked: str, places: list[str], environment: dict[str, str], report: Path) -> int:
    """Files named on the command line are taken instead of all."""
    given = sys.argv[1:]
    if any(Path(argument.partition("::")[0]).exists() for argument in given):
        places = []
    command = [sys.executable, "-m", "pytest", "-q", *places, "-m", marked, *SHARED]
    command += [f"--junitxml={report}", *given]
    return subprocess.run(command, env=environment, check=False).returncode


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
        for number, (name, on_postgres, marked, places) in enumerate(PASSES):
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
            code = run_pass(marked, places, environment, report)
            if code not in (0, NO_TESTS):
                failed.append(name)
            reasons += skipped(report)
    for reason, count in sorted(reasons.items()):
        sys.stdout.write(f"skipped {count}: {reason}\n")
    sys.stdout.write(f"FAILED: {', '.join(failed)}\n" if failed else "All passes are green.\n")
    sys.stdout.write(f"The order was that of SEED={SEED}.\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
