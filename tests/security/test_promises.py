"""The tests that docs/security.md and docs/reliability.md name are there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
DOCS = TESTS.parent / "docs"
PAGE = (DOCS / "security.md").read_text()
RELIABILITY = (DOCS / "reliability.md").read_text()
ROW = re.compile(r"^\| (?!promise)(?P<promise>[^|]+) \| (?P<shown_by>[^|]+) \|$", re.MULTILINE)


def test_every_promise_names_its_test():
    rows = list(ROW.finditer(PAGE))
    assert len(rows) > 40
    unshown = [row["promise"] for row in rows if not re.search(r"\.py|the same", row["shown_by"])]
    assert unshown == []


def test_every_test_named_is_there():
    named = set(re.findall(r"`((?:\w+/)*test_\w+\.py)`", PAGE))
    assert len(named) > 25
    assert [name for name in sorted(named) if not (TESTS / name).is_file()] == []


def test_every_fault_that_is_tried_names_where():
    table = RELIABILITY.partition("| fault |")[2].partition("\n\n")[0]
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    assert len(rows) > 30
    assert [row[0] for row in rows if not re.search(r"`\S+`|the same", row[-1])] == []


def test_every_file_that_reliability_names_is_there():
    named = set(re.findall(r"`((?:tests|benchmarks)/[\w/]+(?:\.py|/))`", RELIABILITY))
    assert len(named) > 30
    assert [name for name in sorted(named) if not (TESTS.parent / name).exists()] == []


def test_make_chaos_runs_every_file_of_the_table():
    table = RELIABILITY.partition("| fault |")[2].partition("\n\n")[0]
    makefile = (TESTS.parent / "Makefile").read_text()
    [listed] = re.findall(r"^CHAOS := ((?:[^\\\n]|\\\n)*)$", makefile, re.MULTILINE)
    run = [TESTS.parent / name for name in listed.replace("\\", " ").split()]
    named = {TESTS.parent / name for name in re.findall(r"`(tests/[\w/.]+)`", table)}
    assert len(named) > 30
    assert [path for path in sorted(named) if not {path, *path.parents} & set(run)] == []
    assert [path for path in run if not path.exists()] == []
