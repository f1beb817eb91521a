"""Saving a rating: one statement that checks, orders, numbers and inserts."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.utils import timezone

from annotations.errors import InvalidPost, OutOfOrder, WorkClosed
from annotations.models import Rating
from annotations.posts import RatingPost
from annotations.selectors.work import assignment_of, closed_sentence, rated_count
from annotations.tokens import Turn, receipt_read

# The player's clock and the probe's differ by a few frames.
SLACK_SECONDS = 0.5
GIVEN = [
    "key", "score", "fluency", "served_at", "created_at", "client_elapsed_ms",
    "client_first_touch_ms", "client_last_touch_ms", "client_moves", "client_plays",
    "client_watched_ms", "client_hidden_ms",
]  # fmt: skip
# One statement, so that no other request can come between a check and the insert, and so that
# a rating costs one round trip. It inserts nothing when the work is closed, when the caption
# before is not rated, when fluency is missing or not asked for, or when the key was seen before.
# Who watched the video the first time need not watch it again to change their mind.
INSERT = f"""
    INSERT INTO annotations_rating (
        campaign_id, assignment_id, item_id, annotator_id, caption_id, kind, original_id,
        position, revision, is_unwatched, {", ".join(GIVEN)}
    )
    SELECT a.campaign_id, a.id, i.id, a.annotator_id, i.caption_id, i.kind, i.original_id,
        i.position,
        1 + (SELECT COUNT(*) FROM annotations_rating r
             WHERE r.assignment_id = a.id AND r.position = i.position),
        COALESCE(%(available)s < v.duration, FALSE) AND COALESCE(
            (SELECT r.is_unwatched FROM annotations_rating r
             WHERE r.assignment_id = a.id AND r.position = i.position AND r.revision = 1), TRUE),
        {", ".join(f"%({name})s" for name in GIVEN)}
    FROM annotations_assignment a
    JOIN hits_campaign p ON p.id = a.campaign_id
    JOIN hits_hititem i ON i.hit_id = a.hit_id
    JOIN hits_caption c ON c.id = i.caption_id
    JOIN hits_video v ON v.id = c.video_id
    WHERE a.id = %(assignment)s AND a.annotator_id = %(annotator)s
        AND a.state = 'active' AND a.expires_at > %(created_at)s
        AND p.asks_fluency = %(asks_fluency)s
        AND i.position = %(position)s
        AND (i.position = 0 OR EXISTS (
            SELECT 1 FROM annotations_rating r
            WHERE r.assignment_id = a.id AND r.position = i.position - 1))
    ON CONFLICT DO NOTHING
    RETURNING revision
"""  # noqa: S608 - only our own column names are put in
ATTEMPTS = 3


@dataclass(frozen=True)
class Saved:
    """A rating that is in the database, and how many captions are rated with it."""

    position: int
    revision: int
    done: int


def rating_submit(*, turn: Turn, post: RatingPost, now: dt.datetime | None = None) -> Saved:
    """Save a rating, or find that this very post was saved before.

    No transaction around it: the one statement is one.
    """
    now = now or timezone.now()
    position, served_at = receipt_read(post.receipt, assignment=turn.assignment)
    values = _values(turn, post, position, served_at, now)
    for _ in range(ATTEMPTS):
        revision = _insert(values)
        if revision == 1:
            return Saved(position, revision, done=position + 1)
        saved = _saved_before(turn, post)
        if saved is not None:
            return saved
        _refuse(turn, post, position, now)
    # Only other posts for the same caption, in the same instant, can lead here.
    raise OutOfOrder("This caption is being rated in another window.")


def _insert(values: dict[str, Any]) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(INSERT, values)
        row = cursor.fetchone()
    return None if row is None else int(row[0])


def _values(
    turn: Turn, post: RatingPost, position: int, served_at: dt.datetime, now: dt.datetime
) -> dict[str, Any]:
    evidence = {f"client_{name}": value for name, value in post.evidence}
    columns = {
        "key": post.key,
        "score": post.score,
        "fluency": post.fluency,
        "served_at": served_at,
        "created_at": now,
    } | evidence
    # Two clocks, and neither may say that the time was too short: the server's cannot be
    # forged but runs on while a rating waits for a connection, the browser's is the reverse.
    server_seconds = (now - served_at).total_seconds()
    available = min(server_seconds, post.evidence.elapsed_ms / 1000) + SLACK_SECONDS
    fields = {field.name: field for field in Rating._meta.concrete_fields}
    return {
        name: fields[name].get_db_prep_save(value, connection) for name, value in columns.items()
    } | {
        "assignment": turn.assignment,
        "annotator": turn.annotator,
        "position": position,
        "available": available,
        "asks_fluency": post.fluency is not None,
    }


def _saved_before(turn: Turn, post: RatingPost) -> Saved | None:
    """The row with this key; also the way a second revision learns how far the work is."""
    row = Rating.objects.filter(assignment=turn.assignment, key=post.key).first()
    if row is None:
        return None
    return Saved(row.position, row.revision, done=rated_count(turn.assignment))


def _refuse(turn: Turn, post: RatingPost, position: int, now: dt.datetime) -> None:
    """Say why nothing was inserted; silent when a post of the same instant was in the way."""
    assignment = assignment_of(turn)
    if sentence := closed_sentence(assignment, now):
        raise WorkClosed(sentence)
    if assignment.campaign.asks_fluency != (post.fluency is not None):
        asked = "asks for fluency too" if assignment.campaign.asks_fluency else "has one scale only"
        raise InvalidPost(f"This task {asked}. Reload the page.")
    done = rated_count(turn.assignment)
    if position > done:
        raise OutOfOrder(f"Caption {done + 1} comes first.")
