"""How the database is spoken to, by the kind of its address."""

from __future__ import annotations

from typing import Any

import environ

SQLITE = "django.db.backends.sqlite3"


def database(address: str, *, seconds: int) -> dict[str, Any]:
    """Django's settings for it; on a server no statement takes longer than so many seconds."""
    found: dict[str, Any] = environ.Env.db_url_config(address)
    if found["ENGINE"] == SQLITE:
        # Writers queue at BEGIN instead of failing half-way; a commit is on disk when it returns.
        found["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        }
        return found
    from daplatform import postgres

    own = postgres.options(seconds) | found.get("OPTIONS", {})
    return found | {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True, "OPTIONS": own}
