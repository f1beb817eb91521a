"""How much room a chart takes, so that nothing moves when it is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

register = template.Library()
AXIS = 52  # names, ticks and title below the plot
USUAL = 200  # where the chart itself finds out, from its rows


@register.filter
def room(spec: Mapping[str, Any]) -> int:
    """Pixels from top to bottom, of a plot of a fixed height and its axis.

    >>> room({"height": 300}), room({"spec": {"height": 120}, "columns": 2})
    (352, 172)
    """
    height = spec.get("spec", spec).get("height")
    return (height if isinstance(height, int) else USUAL) + AXIS
