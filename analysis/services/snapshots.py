"""Keeping a campaign's snapshot up to date with its ratings."""

from __future__ import annotations

import io
import logging
from typing import Any

import numpy as np
from django.conf import settings
from django.db import connection
from django.db.models import BigIntegerField, Count, ExpressionWrapper, F, Sum
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from analysis.results.snapshot import (
    FIELDS,
    SUMMED,
    WEIGHTS,
    Columns,
    Snapshot,
    SnapshotError,
    checksums,
)
from annotations.models import Assignment, Rating
from hits.models import Campaign, Caption, HitItem

logger = logging.getLogger(__name__)
# No column may be NULL: then every row of a binary COPY has the same length, and numpy reads it
# as it comes. What needs a join or arithmetic is done here, where it costs a tenth.
QUERY = """
    SELECT id, assignment_id, annotator_id, caption_id,
           CAST(CASE kind WHEN 'system' THEN 0 WHEN 'reference' THEN 1 WHEN 'degraded' THEN 2
                ELSE 3 END AS smallint),
           CAST(COALESCE(score, -1) AS smallint), CAST(COALESCE(fluency, -1) AS smallint),
           position, revision, is_unwatched, served_at, created_at
    FROM annotations_rating
    WHERE campaign_id = {campaign:d} AND id > {after:d} AND kind <> 'attention' ORDER BY id
"""
SELECTED = {
    "id": "i8",
    "assignment": "i8",
    "annotator": "i8",
    "caption": "i8",
    "kind": "i2",
    "score": "i2",
    "fluency": "i2",
    "position": "i2",
    "revision": "i2",
    "unwatched": "i1",
    "served_at": "i8",
    "submitted_at": "i8",
}
COPY_HEADER = 19  # signature, flags, no extension
COPY_TRAILER = 2
# PostgreSQL counts microseconds from the year 2000.
EPOCH = int(np.datetime64("2000-01-01", "us").astype("i8"))


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


def ratings_fetch(campaign: Campaign, *, after: int) -> Columns:
    """The campaign's ratings with a higher id, every revision of them, in order of id."""
    query = QUERY.format(campaign=campaign.pk, after=after)
    rows = _copied(query) if connection.vendor == "postgresql" else _selected(query)
    hits = Assignment.objects.filter(campaign=campaign).values_list("pk", "hit_id")
    captions = Caption.objects.filter(system__campaign=campaign)
    seconds = (rows["submitted_at"] - rows["served_at"]) / 1e6
    columns = rows | {
        "hit": _looked_up(rows["assignment"], hits),
        "system": _looked_up(rows["caption"], captions.values_list("pk", "system_id")),
        "item": _looked_up(rows["caption"], captions.values_list("pk", "video_id")),
        "seconds": np.maximum(seconds, 0.0),
    }
    return {name: columns[name].astype(kind, copy=False) for name, kind in FIELDS.items()}


def ratings_checksums(campaign: Campaign, *, until: int) -> dict[str, int]:
    """The `checksums` of the campaign's ratings up to an id, summed in the database."""
    fields: dict[str, Combinable] = {name: F(name) for name in SUMMED} | {
        "hit": F("assignment__hit"),
        "system": F("caption__system"),
        "item": F("caption__video"),
        "score": Coalesce("score", -1),
        "fluency": Coalesce("fluency", -1),
    }
    weight = F("pk") % WEIGHTS + 1
    sums = {
        f"sum_{name}": Sum(ExpressionWrapper(weight * field, BigIntegerField()), default=0)
        for name, field in fields.items()
    }
    ratings = Rating.objects.filter(campaign=campaign, pk__lte=until).order_by()
    ratings = ratings.exclude(kind=HitItem.Kind.ATTENTION)  # no rating of a caption
    return ratings.aggregate(**sums, rows=Count("pk"))


def _copied(query: str) -> Columns:
    stream = io.BytesIO()
    with connection.cursor() as cursor, connection.wrap_database_errors:
        cursor.copy_expert(f"COPY ({query}) TO STDOUT (FORMAT binary)", stream)
    # A row is its number of fields, then each field behind its length; all big-endian.
    row = [("fields", ">i2")]
    for name, kind in SELECTED.items():
        row += [(f"{name}_length", ">i4"), (name, f">{kind}")]
    rows = np.frombuffer(stream.getbuffer()[COPY_HEADER:-COPY_TRAILER], dtype=row)
    columns = {name: rows[name].astype(kind) for name, kind in SELECTED.items()}
    for name in ("served_at", "submitted_at"):
        columns[name] += EPOCH
    return columns


def _selected(query: str) -> Columns:
    with connection.cursor() as cursor:
        cursor.execute(query)
        rows = cursor.fetchall()
    values = zip(*rows, strict=True) if rows else [()] * len(SELECTED)
    columns = dict(zip(SELECTED, values, strict=True))
    moments = {
        name: np.array(columns.pop(name), dtype="datetime64[us]").astype("i8")
        for name in ("served_at", "submitted_at")
    }
    return {name: np.array(column, SELECTED[name]) for name, column in columns.items()} | moments


def _looked_up(keys: NDArray[Any], pairs: Any) -> NDArray[np.int64]:
    """For each key the value that the pairs, of key and value, give it."""
    table = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    table = table[np.argsort(table[:, 0])]
    values: NDArray[np.int64] = table[np.searchsorted(table[:, 0], keys), 1]
    return values
