"""Every test, on every database: `make test` calls this.

Four passes over one suite, with private servers behind them, in three lanes beside each other:
faults, which wait more than they compute and take longest; everything else on PostgreSQL; the
browser, and then what may differ on SQLite. Four processes keep two cores busy. Tests run in a
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
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from defusedxml import ElementTree

from tests.services import MIGRATED, ServiceMissing, migrated_cluster, postgres

WORKERS = os.environ.get("WORKERS", "2")
SEED = os.environ.get("SEED") or str(random.SystemRandom().randrange(2**32))
# Whoever is done takes from the others, so that no long test is left to the end of one of them.
SHARED = ["--dist", "worksteal", f"--randomly-seed={SEED}"]
# Where the code differs by database (bulk reading and writing, triggers, locks, JSON), the services
# that work and money of people go through, and some pages of each sort. The rest would ask Django
# the same thing twice.
LISTS = "tests/access/test_lists_of_every_kind.py::test_every_list_can_be"
ON_SQLITE = [
    *(f"{LISTS}_searched_and_sorted[{kind}]" for kind in ("usual", "erased")),
    *(f"{LISTS}_downloaded_in_every_format[{kind}]" for kind in ("usual", "erased")),
    "tests/access/test_query_counts.py",
    "tests/access/test_stored_markup.py::test_nothing_of_a_text_becomes_part_of_a_page[organiser]",
    *(
        f"tests/analysis/runs/test_{name}.py"
        for name in ("claiming_chunks", "killed_worker", "metric_runs", "metrics_page")
    ),
    "tests/analysis/live_pages",
    *("tests/analysis/test_results_page.py", "tests/analysis/test_reviewed_ratings.py"),
    *("tests/analysis/test_snapshot.py", "tests/analysis/pages/test_exports.py"),
    "tests/analysis/pages/test_downloads.py::test_every_format_of_a_list_holds_the_same_rows",
    "tests/analysis/pages/test_downloads.py::test_no_two_files_of_a_campaign_have_one_name",
    *("tests/annotations", "tests/crowds", "tests/faults"),
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
ROOT = Path(__file__).parent.parent
# Where the fixture meteor_store looks (pytest's own folder for what is kept between runs).
METEOR = (
    "from pathlib import Path; from analysis.metrics.families.meteor.scorer import Meteor; "
    "Meteor.open(Path('.pytest_cache/d/meteor'))"
)


@dataclass(frozen=True)
class Pass:
    """Some of the tests on one of the databases."""

    name: str
    title: str
    marked: str
    places: list[str]
    on_postgres: bool = True
    workers: str = "1"


EVERYTHING = Pass(
    "everything",
    "everything but faults, PostgreSQL",
    "not browser and not faults",
    ["tests"],
    workers=WORKERS,
)
# Passes of one lane follow each other; lanes run beside each other.
LANES = [
    [Pass("faults", "faults, PostgreSQL", "faults", ["tests/faults"])],
    [EVERYTHING],
    [
        Pass("browser", "browser, PostgreSQL", "browser", ["tests/browser"]),
        Pass(
            "sqlite",
            "what may differ, SQLite",
            "database and not browser and not postgres",
            [*ON_SQLITE, *NOT_ON_SQLITE],
            on_postgres=False,
        ),
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
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # or every process compiles everything anew
    if one is EVERYTHING:
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


@contextlib.contextmanager
def meteor_table() -> Iterator[None]:
    """Made beside what is made here, so that no test has to; where it cannot, tests say why."""
    making = subprocess.Popen([sys.executable, "-c", METEOR], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        making.wait()


def main() -> int:
    reasons: Counter[str] = Counter()
    failed, total = [], 0
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        with contextlib.nullcontext() if is_named(sys.argv[1:]) else meteor_table():
            variables = database(stack, folder)
        sys.stdout.write(f"=== {EVERYTHING.title}; the others follow\n")
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
