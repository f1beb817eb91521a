"""How long something took, in words."""

from __future__ import annotations

import datetime as dt

from django import template
from django.utils.timesince import timesince

register = template.Library()
MINUTE = dt.timedelta(minutes=1)


@register.filter
def lasting(start: dt.datetime, end: dt.datetime) -> str:
    """From one moment to another.

    >>> noon = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
    >>> lasting(noon, noon + dt.timedelta(seconds=20))
    'under a minute'
    """
    return "under a minute" if end - start < MINUTE else timesince(start, end)
