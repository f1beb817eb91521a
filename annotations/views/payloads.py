"""What the browser receives about a HIT: as little as can be shown, alike for every kind.

No system, kind or caption id, and nothing that is equal for a caption and its repeat but the
words and pictures themselves: videos have a name of their own in every item, receipts differ,
and all items are padded to the same size.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from django.urls import reverse
from django.utils import timezone

from annotations.models import Assignment
from annotations.selectors.work import (
    LOOKAHEAD,
    Answer,
    Item,
    answer_given,
    items_between,
    rated_count,
)
from annotations.tokens import RatingSession, Receipt, media_name, receipt_sign

SIZE_CLASS = 1024


def work_payload(session: RatingSession, assignment: Assignment) -> dict[str, Any]:
    """Where the work stands, with the item to be rated and the next."""
    done = rated_count(session.assignment)
    left = assignment.expires_at - timezone.now() if assignment.expires_at else None
    return {
        "done": done,
        "total": assignment.hit.items.count(),
        "secondsLeft": max(0, int(left.total_seconds())) if left else 0,
        "items": items_payload(session, done, done + LOOKAHEAD),
    }


def items_payload(session: RatingSession, first: int, last: int) -> list[dict[str, Any]]:
    """Items that are to be rated."""
    items = items_between(hit_id=session.hit, first=first, last=last)
    return [_item_payload(session, item, None) for item in items]


def item_payload(session: RatingSession, position: int) -> list[dict[str, Any]]:
    """One item, perhaps rated before, with the answer it has."""
    answer = answer_given(assignment_id=session.assignment, position=position)
    items = items_between(hit_id=session.hit, first=position, last=position)
    return [_item_payload(session, item, answer) for item in items]


def _item_payload(session: RatingSession, item: Item, answer: Answer | None) -> dict[str, Any]:
    name = media_name(assignment=session.assignment, position=item.position)
    receipt = Receipt(
        item.position, timezone.now(), round(1000 * (item.seconds or 0) / session.fastest)
    )
    return padded(
        {
            "position": item.position,
            "text": item.text,
            "media": reverse("annotations:media", args=[session.assignment, name]),
            "receipt": receipt_sign(receipt, assignment=session.assignment),
            "answer": None if answer is None else asdict(answer),
        }
    )


def padded(item: dict[str, Any]) -> dict[str, Any]:
    """Fill up to the next multiple of the size class, so that length says nothing.

    >>> len(json.dumps(padded({"text": "A dog."}))), len(json.dumps(padded({"text": "A" * 99})))
    (1024, 1024)
    """
    size = len(json.dumps(item | {"pad": ""}))
    return item | {"pad": "." * (-size % SIZE_CLASS)}
