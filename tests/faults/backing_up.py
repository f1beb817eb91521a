"""Dumping and restoring a stage's database, with the commands of docs/operations.md."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

import psycopg2

from tests.faults.stage import Stage
from tests.services import POSTGRES_FOLDERS, program


def dump(site: Stage, file: Path) -> None:
    command = [program("pg_dump", *POSTGRES_FOLDERS), "--format=custom", f"--file={file}", site.dsn]
    subprocess.run(command, check=True)


def restore(site: Stage, file: Path) -> None:
    """Into a database that is emptied first."""
    with contextlib.closing(psycopg2.connect(site.dsn)) as base, base.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        base.commit()
    command = [program("pg_restore", *POSTGRES_FOLDERS), "--no-owner", "--exit-on-error"]
    subprocess.run([*command, f"--dbname={site.dsn}", str(file)], check=True)
    site.run("manage.py", "migrate", "--verbosity", "0")
