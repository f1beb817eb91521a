"""Logs: one JSON object to a line, with the request or the task it belongs to, and nobody's name.

Addresses of the rating page carry tokens, so a request is named by its route, never by its path.
"""

from __future__ import annotations

import logging
from typing import Any

import structlog
from django.http import HttpRequest
from structlog.typing import Processor

SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def route(request: HttpRequest) -> str:
    """The name of the address asked for: "crowds:enter", without the token in it."""
    match = request.resolver_match
    return (match.view_name or match.route) if match else "unknown"


class WithoutAddresses(logging.Filter):
    """Django's own lines about a request say its path; these say its route."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest):
            record.msg, record.args = "%s %s", (request.method, route(request))
            # The request itself must not be rendered, and neither may what it carries.
            del record.__dict__["request"]
        return True


def configuration(*, level: str, readable: bool) -> dict[str, Any]:
    """For logging.config.dictConfig; `readable` where a person watches the terminal."""
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer = (
        structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        )
        if readable
        else structlog.processors.JSONRenderer()
    )
    last: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    last += [] if readable else [structlog.processors.format_exc_info]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"without_addresses": {"()": WithoutAddresses}},
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [*last, renderer],
                "foreign_pre_chain": SHARED,
            }
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": "line",
                "filters": ["without_addresses"],
            }
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            # These name people and addresses; our own lines say that something happened.
            "axes": {"level": "CRITICAL"},
            "django.request": {"level": "ERROR"},
            "httpx": {"level": "WARNING"},
            # The queue on disk has no host, and needs none.
            "kombu.connection": {"level": "ERROR"},
            "django.server": {"handlers": [], "propagate": True},
        },
    }
