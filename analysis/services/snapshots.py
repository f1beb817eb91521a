"""Keeping a campaign's snapshot up to date with its ratings."""

from __future__ import annotations

import logging

from django.conf import settings

from analysis.reading import RatingsFile
from analysis.results.snapshot import Snapshot, SnapshotError, checksums
from analysis.selectors.fetching import ratings_checksums, ratings_fetch
from analysis.selectors.ratings import evidence_of, notes_on, ratings_of
from hits.models import Campaign

logger = logging.getLogger(__name__)


def snapshot_of(campaign: Campaign) -> Snapshot:
    return Snapshot(settings.DATA_DIR / "snapshots" / str(campaign.pk))


def snapshot_holds(campaign: Campaign) -> bool:
    """Whether what is there can be read, and is what the database has up to its last rating."""
    try:
        columns = snapshot_of(campaign).read()
    except SnapshotError as error:
        logger.warning("The snapshot of %s cannot be read: %s", campaign, error)
        return False
    last = int(columns["id"].max(initial=0))
    return checksums(columns) == ratings_checksums(campaign, until=last)


def snapshot_refresh(*, campaign: Campaign) -> Snapshot:
    """Fetch the ratings that are new; all of them when what is there cannot be right.

    Ids are given out before rows are committed, so a rating may appear below one that was fetched:
    the checksums tell.
    """
    snapshot = snapshot_of(campaign)
    if not snapshot_holds(campaign):
        logger.warning("The snapshot of %s is made anew.", campaign)
        snapshot.discard()
    columns = ratings_fetch(campaign, after=snapshot.last_id)
    new = columns["id"] > snapshot.last_id  # another process may have been quicker
    snapshot.append({name: values[new] for name, values in columns.items()})
    return snapshot


def campaign_ratings(campaign: Campaign) -> RatingsFile:
    """Its ratings as a file of them would be read. Raises ValueError where there are none."""
    columns = snapshot_refresh(campaign=campaign).read()
    return RatingsFile(
        ratings_of(campaign, columns),
        f"campaign {campaign.slug}",
        evidence_of(campaign, columns),
        tuple(notes_on(campaign)),
    )
