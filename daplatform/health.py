"""Does what this process depends on answer? For load balancers and people.

Whatever hangs, the answer is there within SECONDS: checks run in threads of their own, each at
most once at a time, so that a service which never answers holds one thread of a process.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from daplatform.broker import SILENCE_SECONDS
from daplatform.celery import app

SECONDS = 5.0


def database_answers() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def database_is_current() -> None:
    """Every migration this code knows of has been applied."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise RuntimeError("migrations wait to be applied")


def broker_answers() -> None:
    with app.connection_for_write(connect_timeout=SILENCE_SECONDS) as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=SILENCE_SECONDS)


def media_answers() -> None:
    """A file can be written and taken away again, which a full or lost disk refuses."""
    name = default_storage.save(f"health/{uuid.uuid4().hex}", ContentFile(b"ok"))
    default_storage.delete(name)


Check = Callable[[], None]
# Without these no request can be answered; without the others, not all of them.
NEEDED: dict[str, Check] = {"database": database_answers, "migrations": database_is_current}
CHECKS: dict[str, Check] = {
    "database": database_answers,
    "broker": broker_answers,
    "media": media_answers,
}


class Asked:
    """One check under way, and since when."""

    def __init__(self, answer: Future[bool]) -> None:
        self.answer, self.due = answer, time.monotonic() + SECONDS

    def holds(self) -> bool:
        """What it found; no where it has taken too long, at once from then on."""
        try:
            return self.answer.result(max(self.due - time.monotonic(), 0))
        except TimeoutError:
            return False


_threads = ThreadPoolExecutor(len(NEEDED | CHECKS), thread_name_prefix="health")
_asked: dict[Check, Asked] = {}
_asking = threading.Lock()


def ask(check: Check) -> Asked:
    """Begin the check, or join the one that is under way."""
    with _asking:
        if check not in _asked or _asked[check].answer.done():
            _asked[check] = Asked(_threads.submit(succeeds, check))
        return _asked[check]


def succeeds(check: Check) -> bool:
    try:
        check()
    except Exception:  # whatever went wrong, the answer is "no"
        return False
    finally:
        connection.close()  # this thread's own, if there is one
    return True


def report(checks: Mapping[str, Check]) -> JsonResponse:
    """200 when all of it answers, else 503; the body says which does not."""
    asked = {name: ask(check) for name, check in checks.items()}
    states = {name: check.holds() for name, check in asked.items()}
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
