"""Ratings by what a person types: a file, or a campaign of the platform as its address names it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.reading import RatingsFile, read_ratings
from analysis.results.settings import Settings

if TYPE_CHECKING:
    from hits.models import Campaign


DEFAULTS = Settings()


def add_quality(parser: argparse._ActionsContainer) -> None:
    """Options of quality control."""
    parser.add_argument(
        "--quality-alpha",
        type=float,
        default=DEFAULTS.quality_alpha,
        help="level of quality control (default .05)",
    )
    parser.add_argument(
        "--min-pairs",
        type=int,
        dest="minimum_pairs",
        default=DEFAULTS.minimum_pairs,
        help="pairs needed before quality control decides about a person (default: what the "
        "test needs, 2 for t and 5 for wilcoxon at .05)",
    )


def ratings_named(text: str, *, pair: str | None = None) -> RatingsFile:
    """A file if there is one of that name, else a campaign; a database is asked only for those."""
    path = Path(text)
    if path.exists() or path.suffix:
        return read_ratings(path, pair=pair)
    from analysis.services.descriptions import campaign_ratings

    return campaign_ratings(campaign_named(text))


def campaign_named(slug: str) -> Campaign:
    from django.db import DatabaseError

    from hits.models import Campaign

    try:
        found = Campaign.objects.filter(slug=slug).first()
    except DatabaseError:  # whoever works with files need not have one
        found = None
    if found is None:
        raise ValueError(
            f"There is no file, folder or campaign {slug!r}. Check the path, or the address of the "
            "campaign."
        )
    return found
