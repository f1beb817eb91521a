"""How often one address may be refused, or do something, before it is told to wait."""

from __future__ import annotations

import ipaddress
import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

WINDOW = 60  # seconds
# Who holds an IPv6 address usually holds all that share its first half.
HOUSEHOLD = 64
HERE = ("127.0.0.1", "::")  # ::1 by its first half


def client_address(request: HttpRequest) -> str | None:
    """Where a request comes from; None where that cannot be told.

    Behind our proxy it is what the proxy wrote last, for anybody can write the rest.
    """
    told = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
    try:
        return address_prefix(told.rpartition(",")[2].strip() or request.META["REMOTE_ADDR"])
    except (KeyError, ValueError):
        return None


def address_prefix(address: str) -> str:
    """What counts as one visitor: an IPv4 address, however it is written, or an IPv6 /64.

    >>> address_prefix("192.0.2.7"), address_prefix("::ffff:192.0.2.7")
    ('192.0.2.7', '192.0.2.7')
    >>> address_prefix("2001:db8::1:7")
    '2001:db8::'
    """
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network(f"{found}/{HOUSEHOLD}", strict=False).network_address)


def origin_of(request: HttpRequest) -> str:
    """A digest by which requests from one network are known, and the network is not.

    Empty where that cannot be told, and for this machine itself, where nobody is a stranger.
    """
    prefix = client_address(request)
    if prefix is None or prefix in HERE:
        return ""
    return salted_hmac("origin", prefix).hexdigest()[:16]


def is_refused_too_often(request: HttpRequest) -> bool:
    """Count one more refusal of this address, and whether that is too many within a minute."""
    return is_too_often(request, "refused", limit=settings.REFUSALS_PER_MINUTE)


def is_too_often(request: HttpRequest, event: str, *, limit: int) -> bool:
    """Count one more such event of this address, and whether that is too many within a minute."""
    return _count(f"{event}-{client_address(request)}") > limit


def is_logging_in_too_often(who: str) -> bool:
    """Count one more attempt to log in, whatever becomes of it."""
    return _count(f"login-{who}") > settings.LOGINS_PER_MINUTE


def _count(what: str) -> int:
    """How often within this minute, in this process: an annotator waits for no other service."""
    key = f"{what}-{time.time() // WINDOW:.0f}"
    try:
        return 1 if cache.add(key, 1, timeout=WINDOW) else cache.incr(key)
    except ValueError:  # it ran out between the two
        return 1
