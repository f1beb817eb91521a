"""docs/security.md names a test for every promise, and the tests are there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "security.md").read_text()
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
