"""Every test, on every database: `make test` calls this.

Four passes over one suite, with private servers behind them: everything on PostgreSQL, and beside
it what may differ on SQLite, the browser, and faults on PostgreSQL. These three wait much, so that
three processes keep two cores busy, and both lanes end at about the same time. Tests run in a
random order; its seed is printed, and `make test SEED=3` repeats it. How many ran, and what was
skipped, is named last.
"""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from defusedxml import ElementTree

from tests.services import MIGRATED, ServiceMissing, migrated_cluster, postgres

WORKERS = os.environ.get("WORKERS", "2")
SEED = os.environ.get("SEED") or str(random.SystemRandom().randrange(2**32))
# Whoever is done takes from the others, so that no long test is left to the end of one of them.
SHARED = ["--dist", "worksteal", f"--randomly-seed={SEED}"]
# Where the code differs by database (bulk reading and writing, triggers, locks, JSON), and every
# page, service and task once. The rest would ask Django the same thing twice.
ON_SQLITE = [
    *("tests/access/test_lists_of_every_kind.py", "tests/access/test_query_counts.py"),
    *("tests/access/test_stored_markup.py", "tests/analysis/runs"),
    "tests/analysis/live_pages",
    *("tests/analysis/test_results_page.py", "tests/analysis/test_reviewed_ratings.py"),
    *("tests/analysis/test_snapshot.py", "tests/analysis/pages/test_exports.py"),
    *("tests/analysis/pages/test_downloads.py", "tests/annotations", "tests/faults"),
    "tests/crowds",
    *("tests/hits/test_bulk.py", "tests/hits/test_campaign_services.py"),
    *("tests/hits/test_composing.py", "tests/hits/test_import_service.py"),
    *("tests/hits/test_invariants.py", "tests/hits/test_uploads.py", "tests/test_verify.py"),
]
# A minute long each, and the same services as Prolific's 20 HITs and 60 people, which run there.
NOT_ON_SQLITE = [
    *("--deselect", "tests/crowds/mturk/test_mturk_whole_life.py"),
    *("--deselect", "tests/crowds/test_crowd_machine.py"),
]
NO_TESTS = 5


@dataclass(frozen=True)
class Pass:
    """Some of the tests on one of the databases."""

    name: str
    title: str
    marked: str
    places: list[str]
    on_postgres: bool = True
    workers: str = "1"


# Passes of one lane follow each other; lanes run beside each other.
LANES = [
    [
        Pass(
            "everything",
            "everything but faults, PostgreSQL",
            "not browser and not faults",
            ["tests"],
            workers=WORKERS,
        )
    ],
    [
        Pass(
            "sqlite",
            "what may differ, SQLite",
            "database and not browser and not postgres",
            [*ON_SQLITE, *NOT_ON_SQLITE],
            on_postgres=False,
        ),
        Pass("browser", "browser, PostgreSQL", "browser", ["tests/browser"]),
        Pass("faults", "faults, PostgreSQL", "faults", ["tests/faults"]),
    ],
]


def is_named(given: list[str]) -> bool:
    """Whether files were named on the command line."""
    return any(Path(argument.partition("::")[0]).exists() for argument in given)


def run_pass(one: Pass, variables: dict[str, str], folder: Path) -> int:
    """Files named on the command line are taken instead of all."""
    given = sys.argv[1:]
    named = is_named(given)
    command = [sys.executable, "-m", "pytest", "-q", *([] if named else one.places)]
    command += ["-m", one.marked, "-n", one.workers, *SHARED]
    command += [f"--junitxml={folder / one.name}.xml", *given]
    own = {"DEBUG": "true", "DATA_DIR": str(folder / one.name), "TEST_DATABASE": one.name}
    environment = os.environ | (variables if one.on_postgres else {}) | own
    if one is LANES[0][0]:
        return subprocess.run(command, env=environment, check=False).returncode
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    sys.stdout.write(f"\n=== {one.title}\n{done.stdout}\n")  # in one piece
    sys.stdout.flush()
    return done.returncode


def counted(report: Path) -> tuple[int, Counter[str]]:
    """How many tests a pass had, and reasons for which some were skipped, with how many."""
    if not report.exists():
        return 0, Counter()
    root = ElementTree.parse(report).getroot()
    reasons = Counter(node.get("message", "no reason") for node in root.iter("skipped"))
    return len(list(root.iter("testcase"))), reasons


def database(stack: contextlib.ExitStack, folder: Path) -> dict[str, str]:
    """A PostgreSQL for all passes, if it is installed; under CI=true it must be."""
    try:
        made = migrated_cluster(folder / "cluster")
        address = stack.enter_context(postgres(like=made))
    except ServiceMissing as missing:
        if os.environ.get("CI") == "true":
            raise
        sys.stdout.write(f"{missing}: tests that need it are skipped\n")
        return {}
    return {
        "DATABASE_URL": address,
        "POSTGRES_TEMPLATE": MIGRATED,
        "MIGRATED_CLUSTER": str(made),
    }


def main() -> int:
    reasons: Counter[str] = Counter()
    failed, total = [], 0
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        variables = database(stack, folder)
        sys.stdout.write(f"=== {LANES[0][0].title}; the others follow\n")
        sys.stdout.flush()
        lanes = stack.enter_context(ThreadPoolExecutor(len(LANES)))

        def run_lane(lane: list[Pass]) -> list[tuple[Pass, int]]:
            return [(one, run_pass(one, variables, folder)) for one in lane]

        for one, code in (done for lane in lanes.map(run_lane, LANES) for done in lane):
            if code and not (code == NO_TESTS and is_named(sys.argv[1:])):
                failed.append(one.title)
            count, skipped = counted(folder / f"{one.name}.xml")
            total, reasons = total + count, reasons + skipped
    for reason, count in sorted(reasons.items()):
        sys.stdout.write(f"skipped {count}: {reason}\n")
    sys.stdout.write(f"FAILED: {', '.join(failed)}\n" if failed else "All passes are green.\n")
    sys.stdout.write(f"{total:,} tests, in the order of SEED={SEED}.\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
