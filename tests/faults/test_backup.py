"""Dump, drop, restore: the same rows, the same results. As docs/operations.md has it."""

from __future__ import annotations

import contextlib
import json
import subprocess

import psycopg2
import pytest

from tests.faults.campaign import HIT_SIZE
from tests.faults.stage import rate_through
from tests.services import POSTGRES_FOLDERS, program

pytestmark = pytest.mark.slow


def drop_everything(dsn: str) -> None:
    with contextlib.closing(psycopg2.connect(dsn)) as base, base.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        base.commit()


def test_a_restored_database_gives_the_same_results(site, tmp_path):
    rate_through(site, site.links(3), pause=0, trouble=lambda: None)
    before = json.loads(site.run("-m", "tests.faults.results"))
    assert before["signature"], before["problem"]
    rows = site.saved()
    assert len(rows) == 3 * HIT_SIZE
    dump = str(tmp_path / "da.dump")
    tools = {name: program(name, *POSTGRES_FOLDERS) for name in ("pg_dump", "pg_restore")}
    subprocess.run([tools["pg_dump"], "--format=custom", f"--file={dump}", site.dsn], check=True)
    site.web.kill()
    drop_everything(site.dsn)
    restore = [tools["pg_restore"], "--no-owner", "--exit-on-error", f"--dbname={site.dsn}", dump]
    subprocess.run(restore, check=True)
    site.web.start()
    assert site.saved() == rows
    assert "hold." in site.run("manage.py", "verify")
    assert json.loads(site.run("-m", "tests.faults.results")) == before
