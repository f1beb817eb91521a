"""Does what this process depends on answer? For load balancers and people."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from daplatform.celery import app


def database_answers() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def database_is_current() -> None:
    """Every migration this code knows of has been applied."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise RuntimeError("migrations wait to be applied")


def broker_answers() -> None:
    with app.connection_for_write(connect_timeout=2) as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=2)


def media_answers() -> None:
    """A file can be written and taken away again, which a full or lost disk refuses."""
    name = default_storage.save(f"health/{uuid.uuid4().hex}", ContentFile(b"ok"))
    default_storage.delete(name)


# Without these no request can be answered; without the others, not all of them.
NEEDED: dict[str, Callable[[], None]] = {
    "database": database_answers,
    "migrations": database_is_current,
}
CHECKS: dict[str, Callable[[], None]] = {
    "database": database_answers,
    "broker": broker_answers,
    "media": media_answers,
}


def answers(check: Callable[[], None]) -> bool:
    try:
        check()
    except Exception:  # whatever went wrong, the answer is "no"
        return False
    return True


def report(checks: dict[str, Callable[[], None]]) -> JsonResponse:
    """200 when all of it answers, else 503; the body says which does not."""
    states = {name: answers(check) for name, check in checks.items()}
    return JsonResponse(states, status=200 if all(states.values()) else 503)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Is everything well? For people and alarms."""
    return report(CHECKS)


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Can this process take requests? For load balancers, during a deployment above all."""
    return report(NEEDED)
