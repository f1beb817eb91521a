"""Reading settings from the environment, strictly: a value that makes no sense stops the start."""

from __future__ import annotations

import os

from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}


def text(name: str, default: str | None = None) -> str:
    """The variable's value; empty counts as unset, and without a default it must be set.

    >>> text("DAPLATFORM_NO_SUCH_VARIABLE", "fallback")
    'fallback'
    """
    value = os.environ.get(name) or default
    if value is None:
        sentence = f"Set {name} (see .env.example), or DEBUG=true on a machine of your own."
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
