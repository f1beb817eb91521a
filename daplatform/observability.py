"""What every request and every task leaves behind: a line in the log, and how long it took."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable
from typing import Any

import structlog
from celery import signals
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram

from daplatform.logs import route

log = structlog.get_logger(__name__)
HEADER = "X-Request-ID"
PLAIN = re.compile(r"[A-Za-z0-9-]{8,64}")
# Saving a rating is to stay below a tenth of a second; a page below half of one.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
REQUEST_SECONDS = Histogram(
    "da_request_seconds", "Time to answer a request.", ["route", "method", "status"],
    buckets=BUCKETS,
)  # fmt: skip
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
TASKS = Counter("da_tasks", "Tasks that ended.", ["task", "outcome"])


class RequestLog:
    """Gives each request a name, which its log lines, its tasks and its answer carry."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        name = given if PLAIN.fullmatch(given) else uuid.uuid4().hex
        begun = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=name):
            response = self.get_response(request)
            self.note(request, response, time.perf_counter() - begun)
        response[HEADER] = name
        return response

    def note(self, request: HttpRequest, response: HttpResponse, seconds: float) -> None:
        where, status = route(request), response.status_code
        # Each word is counted by itself and for good: strangers may not invent them.
        method = request.method if request.method in METHODS else "OTHER"
        REQUEST_SECONDS.labels(where, method, f"{status // 100}xx").observe(seconds)
        log.info("request", route=where, method=method, status=status, ms=round(1000 * seconds, 1))


@signals.before_task_publish.connect
def hand_on(headers: dict[str, Any], **_: Any) -> None:
    """A task tells in its log which request asked for it."""
    if name := structlog.contextvars.get_contextvars().get("request_id"):
        headers["request_id"] = name


@signals.task_prerun.connect
def bind(task_id: str, task: Any, **_: Any) -> None:
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(task_id=task_id, task=task.name)
    if name := (task.request.headers or {}).get("request_id"):
        structlog.contextvars.bind_contextvars(request_id=name)


@signals.task_postrun.connect
def unbind(task: Any, state: str | None, **_: Any) -> None:
    TASKS.labels(task.name, (state or "unknown").lower()).inc()
    log.info("task", outcome=(state or "unknown").lower())
    structlog.contextvars.clear_contextvars()
