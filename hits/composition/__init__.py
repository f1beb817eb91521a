"""Composing HITs: PROTOCOL §2, as a function of a campaign's captions and one random generator."""

from __future__ import annotations

from hits.composition.campaign import (
    Captions,
    Composition,
    compose_campaign,
    compose_hits,
)
from hits.composition.layout import Layout
from hits.composition.shape import KINDS, Shape, fitting_shape

__all__ = [
    "KINDS",
    "Captions",
    "Composition",
    "Layout",
    "Shape",
    "compose_campaign",
    "compose_hits",
    "fitting_shape",
]
