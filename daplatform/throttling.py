"""How often one address may be refused, or do something, before it is told to wait."""

from __future__ import annotations

import ipaddress
import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

WINDOW = 60  # seconds
# Who holds an IPv6 address usually holds all that share its first half.
HOUSEHOLD = 64


def client_address(request: HttpRequest) -> str | None:
    """Where a request comes from; None where that cannot be told.

    Behind our proxy it is what the proxy wrote last, for anybody can write the rest.
    """
    told = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
    return _household(told.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", ""))


def is_refused_too_often(request: HttpRequest) -> bool:
    """Count one more refusal of this address, and whether that is too many within a minute."""
    return is_too_often(request, "refused", limit=settings.REFUSALS_PER_MINUTE)


def is_too_often(request: HttpRequest, event: str, *, limit: int) -> bool:
    """Count one more such event of this address, and whether that is too many within a minute.

    Counted in each process by itself: an annotator waits for no other service.
    """
    key = f"{event}-{client_address(request)}-{time.time() // WINDOW:.0f}"
    try:
        count = 1 if cache.add(key, 1, timeout=WINDOW) else cache.incr(key)
    except ValueError:  # it ran out between the two
        count = 1
    return count > limit


def _household(text: str) -> str | None:
    """
    >>> _household("192.0.2.7"), _household("2001:db8::1:7"), _household("somewhere")
    ('192.0.2.7', '2001:db8::', None)
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network(f"{address}/{HOUSEHOLD}", strict=False).network_address)
