"""Rows as a release left them, so that every later one is tested on bringing them up to date.

`python -m tests.releases write VERSION` fills a new database and keeps it in tests/data/releases/;
call it for the version that is being made whenever there is a new table. `… load FILE` puts such
rows into an empty database, which then has the tables of that version and no later ones.
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
# Jobs that are done; the others wait, as they do in any database.
DONE = ("results", "exports", "metrics", "metric chunks", "learned metrics")
FITTING = {"start": 0}  # what is marked ends after it
GIVEN = {"auth.permission", "auth.group", "auth.group_permissions"}
# They name rows of those by numbers, which are given anew.
NAMING = {"auth.user_groups", "auth.user_user_permissions"}


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
        if is_kept(model)
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
    """Rows in every table: campaigns with all that happens in them, then what is still empty."""
    import pytest
    from django.apps import apps
    from django.contrib.auth.models import User

    from daplatform.jobs.services import job_run
    from hits.models import Video
    from tests.analysis.pages.conftest import compute, rated_campaign
    from tests.faults.campaign import main as invite
    from tests.faults.living import JOBS, world_in

    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        world = world_in(Path(folder), patch)
        for name in DONE:
            for job in JOBS[name](world):
                job_run(job)
        compute(rated_campaign(User.objects.create(username="organiser"), Path(folder)))
        invite(2)
    Video.objects.exclude(file="").update(file="", poster="", url="https://example.org/clip.mp4")
    for model in filter(is_kept, apps.get_models(include_auto_created=True)):
        if not model._base_manager.exists():
            _row(model)


def _row(model: Any) -> Any:
    """The smallest row that the table takes, about the first of whatever it is about."""
    row = model()
    for field in model._meta.concrete_fields:
        if not (field.primary_key or field.null or field.has_default()):
            setattr(row, field.name, _value(field))
    row.save()
    return row


def _value(field: Any) -> Any:
    from django.utils import timezone

    if field.remote_field:
        other = field.related_model
        return other._base_manager.first() or _row(other)
    if field.choices:
        return next(key for key, _ in field.choices if key)
    kind = field.get_internal_type()
    return {"JSONField": {}, "DateTimeField": timezone.now(), "CharField": "some"}.get(
        kind, FITTING.get(field.name, 1)
    )


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


def is_kept(model: Any) -> bool:
    label, is_ours = model._meta.label_lower, model._meta.managed and not model._meta.proxy
    return is_ours and model._meta.app_label not in NOT_KEPT and label not in GIVEN | NAMING


if __name__ == "__main__":
    if sys.argv[1] != "write":
        import django

        django.setup()
    {"write": write, "dump": dump, "load": load}[sys.argv[1]](sys.argv[2])
