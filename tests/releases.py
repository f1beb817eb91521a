"""Rows as a release left them, so that every later one is tested on bringing them up to date.

`python -m tests.releases write VERSION` fills a new database and keeps it in tests/data/releases/;
call it when a version is released. `… load FILE` puts such rows into an empty database, which then
has the tables of that version and no later ones.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

RELEASES = Path(__file__).parent / "data" / "releases"
ROOT = Path(__file__).parent.parent
# Filled by migrating, or of no use on another day.
NOT_KEPT = ("contenttypes", "sessions", "admin", "axes")
GIVEN = {"auth.permission", "auth.group", "auth.group_permissions"}


def write(version: str) -> None:
    """In a database of its own."""
    with tempfile.TemporaryDirectory() as folder:
        own = {"DEBUG": "true", "DATA_DIR": folder, "DATABASE_URL": f"sqlite:///{folder}/db"}
        for command in (["manage.py", "migrate"], ["-m", "tests.releases", "dump", version]):
            environment = os.environ | own | {"DJANGO_SETTINGS_MODULE": "daplatform.settings"}
            subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, check=True)


def dump(version: str) -> None:
    from django.apps import apps
    from django.core.serializers.json import DjangoJSONEncoder
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    _fill()
    tables = {
        model._meta.label_lower: list(model._base_manager.order_by("pk").values())
        for model in apps.get_models(include_auto_created=True)
        if _is_kept(model)
    }
    found = {
        "migrations": MigrationExecutor(connection).loader.graph.leaf_nodes(),
        "tables": {name: rows for name, rows in tables.items() if rows},
    }
    RELEASES.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, cls=DjangoJSONEncoder, sort_keys=True)
    path = RELEASES / f"{version}.json.gz"
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def _fill() -> None:
    """A rated campaign with a result, and invitations to another."""
    from django.contrib.auth.models import User

    from tests.analysis.pages.conftest import compute, rated_campaign
    from tests.faults.campaign import main as invite

    with tempfile.TemporaryDirectory() as folder:
        compute(rated_campaign(User.objects.create(username="organiser"), Path(folder)))
    invite(2)


def load(path: str) -> None:
    from django.db import connection, transaction
    from django.db.migrations.executor import MigrationExecutor

    found = json.loads(gzip.decompress(Path(path).read_bytes()))
    executor = MigrationExecutor(connection)
    targets = [(app, name) for app, name in found["migrations"]]
    then = executor.migrate(targets).apps
    with connection.constraint_checks_disabled(), transaction.atomic():
        for name, rows in found["tables"].items():
            model = then.get_model(name)
            fields = {field.attname: field for field in model._meta.concrete_fields}
            model._base_manager.bulk_create(
                model(**{key: fields[key].to_python(value) for key, value in row.items()})
                for row in rows
            )
    connection.check_constraints()


def _is_kept(model: Any) -> bool:
    label, is_ours = model._meta.label_lower, model._meta.managed and not model._meta.proxy
    return is_ours and model._meta.app_label not in NOT_KEPT and label not in GIVEN


if __name__ == "__main__":
    if sys.argv[1] != "write":
        import django

        django.setup()
    {"write": write, "dump": dump, "load": load}[sys.argv[1]](sys.argv[2])
