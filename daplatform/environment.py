"""Reading settings from the environment, strictly: a value that makes no sense stops the start."""

from __future__ import annotations

import os
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}
BACKEND = "storages.backends.s3.S3Storage"
SQLITE = "django.db.backends.sqlite3"


def text(name: str, default: str | None = None) -> str:
    """The variable's value; empty counts as unset, and without a default it must be set.

    >>> text("DAPLATFORM_NO_SUCH_VARIABLE", "fallback")
    'fallback'
    """
    value = os.environ.get(name) or default
    if value is None:
        sentence = f"Set {name} (see .env.example), or DEBUG=true on your own machine."
        raise ImproperlyConfigured(sentence)
    return value


def flag(name: str, *, default: bool) -> bool:
    """A boolean that must say so: "False" is false and "maybe" is refused."""
    value = os.environ.get(name)
    if value is None:
        return default
    if value.strip().lower() in TRUE:
        return True
    if value.strip().lower() in FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={value!r} is neither true nor false.")


def number(name: str, default: int) -> int:
    """A whole number."""
    value = text(name, str(default))
    try:
        return int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number.") from None


def words(name: str, default: str = "") -> list[str]:
    """A comma-separated list, blanks left out."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def bucket(name: str, *, endpoint: str, region: str, **options: Any) -> dict[str, Any]:
    """Django's settings for a storage in a bucket."""
    from botocore.config import Config  # a second's work, and most machines have no bucket

    patience = Config(
        connect_timeout=5,
        read_timeout=20,
        retries={"mode": "standard", "total_max_attempts": 2},
    )
    common = {"endpoint_url": endpoint or None, "region_name": region or None, "default_acl": None}
    own = {"bucket_name": name, "client_config": patience}
    return {"BACKEND": BACKEND, "OPTIONS": common | own | options}


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
