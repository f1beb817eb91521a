"""Keeping a campaign's snapshot up to date with its ratings."""

from __future__ import annotations

from django.conf import settings

from analysis.selectors.fetching import ratings_fetch
from analysis.snapshot import Snapshot
from annotations.models import Rating
from hits.models import Campaign


def snapshot_of(campaign: Campaign) -> Snapshot:
    return Snapshot(settings.DATA_DIR / "snapshots" / str(campaign.pk))


def snapshot_refresh(*, campaign: Campaign) -> Snapshot:
    """Fetch the ratings that are new; all of them when what is there cannot be right.

    Ids are given out before rows are committed, so a rating may appear below one that was fetched:
    the count tells.
    """
    snapshot = snapshot_of(campaign)
    known = Rating.objects.filter(campaign=campaign, pk__lte=snapshot.last_id).count()
    if known != snapshot.rows:
        snapshot.discard()
    columns = ratings_fetch(campaign, after=snapshot.last_id)
    new = columns["id"] > snapshot.last_id  # another process may have been quicker
    snapshot.append({name: values[new] for name, values in columns.items()})
    return snapshot
