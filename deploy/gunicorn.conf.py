"""How gunicorn serves the platform; da-web.service adds the socket."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gunicorn.http.wsgi import Response

workers = 4
threads = 4
timeout = 120
# A worker that has served so many gives its memory back; a new one is a fork, and there at once.
max_requests = 20_000
max_requests_jitter = 2_000
preload_app = True
# A page waits so long for one statement, and a database that hangs holds no thread longer.
raw_env = ["DATABASE_SECONDS=15"]
control_socket_disable = True  # it would lie in a home that the user of a service need not have


def when_ready(server: Any) -> None:
    """Before the first fork: what every worker would load with its first request, loaded once."""
    from django.urls import get_resolver

    get_resolver()._populate()  # imports all views, a second's work
    forget_the_dead()
    gc.collect()
    gc.freeze()  # memory that workers share is then left alone by their collectors


def forget_the_dead() -> None:
    """Delete what processes have counted that are gone; workers of the queues may live on."""
    if folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        for file in Path(folder).glob("*.db"):
            if not Path("/proc", file.stem.rpartition("_")[2]).exists():
                file.unlink()


def default_headers(
    response: Any, original: Callable[[Any], list[str]] = Response.default_headers
) -> list[str]:
    """gunicorn's own headers but for `Server`: nobody need know what runs here."""
    return [line for line in original(response) if not line.startswith("Server:")]


Response.default_headers = default_headers
