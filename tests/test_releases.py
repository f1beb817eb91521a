"""Databases as each release left them are brought up to date, and hold what they should."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import subprocess
import sys

import pytest
from django.apps import apps

from daplatform import __version__
from tests.releases import RELEASES, ROOT, is_kept
from tests.services import POSTGRES_FOLDERS, postgres, program_or_skip

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
DUMPS = sorted(RELEASES.glob("*.json.gz"))


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    """Empty."""
    with contextlib.ExitStack() as stack:
        if request.param == "sqlite":
            yield f"sqlite:///{tmp_path}/db.sqlite3"
        else:
            program_or_skip("initdb", *POSTGRES_FOLDERS)
            yield stack.enter_context(postgres())


def test_there_is_one():
    assert DUMPS


def test_the_version_that_is_being_made_has_rows_in_every_table():
    """`python -m tests.releases write VERSION` makes them, of a new table by itself."""
    found = json.loads(gzip.decompress((RELEASES / f"{__version__}.json.gz").read_bytes()))
    models = filter(is_kept, apps.get_models(include_auto_created=True))
    assert {model._meta.label_lower for model in models} - set(found["tables"]) == set()


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.name)
def test_rows_of_a_release_are_brought_up_to_date(dump, database, tmp_path):
    own = {"DEBUG": "true", "DATA_DIR": str(tmp_path), "DATABASE_URL": database}

    def run(*command: str) -> str:
        environment = os.environ | own | {"DJANGO_SETTINGS_MODULE": "daplatform.settings"}
        done = subprocess.run(
            [sys.executable, *command],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("-m", "tests.releases", "load", str(dump))
    run("manage.py", "migrate")
    assert "No planned migration operations" in run("manage.py", "migrate", "--plan")
    run("manage.py", "restored")  # the mark of how far sending has come was not part of it
    run("manage.py", "verify", "--repair")  # time has passed for those who were at work
    assert "hold." in run("manage.py", "verify")
    counted = "from annotations.models import Rating; print(Rating.objects.count())"
    assert int(run("manage.py", "shell", "--no-imports", "-c", counted)) > 100
