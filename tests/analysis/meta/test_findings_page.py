"""docs/findings.md says what the commands print."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.findings import PAGE, TABLES, stands, written

PUBLISHED = Path(os.environ.get("DA_PUBLISHED", Path(__file__).parents[4] / "shared" / "published"))


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_the_table_is_what_the_command_prints(name):
    if not PUBLISHED.is_dir():
        pytest.skip(f"the published data is not at {PUBLISHED}: docs/findings.md is not compared")
    assert TABLES[name](PUBLISHED) == stands(PAGE.read_text(encoding="utf-8"), name)


def test_a_table_is_replaced_between_its_marks():
    page = "before\n<!-- findings: words -->\nold\n<!-- end -->\nafter"
    new = written(page, "words", "new")
    assert new == "before\n<!-- findings: words -->\nnew\n<!-- end -->\nafter"
    assert stands(new, "words") == "new"
    with pytest.raises(ValueError, match="the marks of the table years are missing"):
        stands(page, "years")
