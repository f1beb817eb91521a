"""Dump, drop, restore: the same rows, the same results. As docs/operations.md has it."""

from __future__ import annotations

import json

import pytest

from tests.faults.backing_up import dump, restore
from tests.faults.campaign import HIT_SIZE
from tests.faults.stage import rate_through

pytestmark = pytest.mark.slow


def test_a_restored_database_gives_the_same_results(site, tmp_path):
    rate_through(site, site.links(3), pause=0, trouble=lambda: None)
    before = json.loads(site.run("-m", "tests.faults.results"))
    assert before["signature"], before["problem"]
    rows = site.saved()
    assert len(rows) == 3 * HIT_SIZE
    dump(site, tmp_path / "da.dump")
    site.web.kill()
    restore(site, tmp_path / "da.dump")
    site.web.start()
    assert site.saved() == rows
    assert "hold." in site.run("manage.py", "verify")
    assert json.loads(site.run("-m", "tests.faults.results")) == before
