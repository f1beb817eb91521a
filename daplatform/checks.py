"""What `check --deploy` refuses: settings that do on a desk and fail people on a server."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.http.request import validate_host

from daplatform.environment import SQLITE

SERVERS = ("redis", "rediss", "amqp", "amqps")


@register(Tags.security, deploy=True)
def production_settings(**_: Any) -> list[CheckMessage]:
    """Every reason why people could not work here, each with its remedy."""
    return [
        Error(sentence, hint=remedy, id=f"daplatform.E{number:03}")
        for number, sentence, remedy in _faults()
    ]


def _faults() -> Iterator[tuple[int, str, str]]:
    address = urlsplit(settings.PUBLIC_URL)
    if address.scheme != "https":
        yield 1, f"PUBLIC_URL={settings.PUBLIC_URL} is not https.", "Set PUBLIC_URL=https://NAME."
    if is_loopback(address.hostname or ""):
        sentence = f"PUBLIC_URL={settings.PUBLIC_URL} points everybody to their own machine."
        yield 2, sentence, "Set PUBLIC_URL to the address at which people reach this site."
    elif not validate_host(address.hostname or "", settings.ALLOWED_HOSTS):
        sentence = f"Links begin with {settings.PUBLIC_URL}, but this site does not answer to it."
        yield 3, sentence, f"Add {address.hostname} to ALLOWED_HOSTS."
    if settings.DATABASES["default"]["ENGINE"] == SQLITE:
        remedy = "Set DATABASE_URL=postgres://USER:PASSWORD@HOST:5432/NAME."
        yield 4, "The database is SQLite, where one person writes at a time.", remedy
    if urlsplit(settings.CELERY_BROKER_URL).scheme not in SERVERS:
        sentence = "The broker is not a server: workers read a folder on this machine only."
        yield (
            5,
            sentence,
            "Set CELERY_BROKER_URL=redis://HOST:6379/0 or amqp://USER:PASSWORD@HOST//.",
        )
    if not settings.BEHIND_PROXY:
        sentence = (
            "BEHIND_PROXY is not set: https ends at nginx, and every page would redirect to itself."
        )
        yield (
            6,
            sentence,
            "Set BEHIND_PROXY=true and put nginx in front, as in deploy/nginx.conf.",
        )


def is_loopback(host: str) -> bool:
    """Whether the name means whoever asks.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.2", "::1", "0.0.0.0", "da.example")]
    [True, True, True, True, False]
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return not host or host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
