"""What the browser receives about a HIT: as little as can be shown, alike for every kind.

No system, kind or caption id, and nothing that is equal for a caption and its repeat but the
words and pictures themselves: videos have a name of their own in every item, receipts differ,
and all items are padded to the same size.
"""

from __future__ import annotations

import json
from typing import Any

from django.urls import reverse
from django.utils import timezone

from annotations.models import Assignment
from annotations.selectors.work import LOOKAHEAD, Item, items_between, rated_count
from annotations.tokens import Turn, media_name, receipt_sign

SIZE_CLASS = 1024


def work_payload(turn: Turn, assignment: Assignment) -> dict[str, Any]:
    """Where the work stands, with the item to be rated and the next."""
    done = rated_count(turn.assignment)
    left = assignment.expires_at - timezone.now() if assignment.expires_at else None
    return {
        "done": done,
        "total": assignment.hit.items.count(),
        "secondsLeft": max(0, int(left.total_seconds())) if left else 0,
        "items": items_payload(turn, done, done + LOOKAHEAD),
    }


def items_payload(turn: Turn, first: int, last: int) -> list[dict[str, Any]]:
    items = items_between(hit_id=turn.hit, assignment_id=turn.assignment, first=first, last=last)
    return [_item_payload(turn, item) for item in items]


def _item_payload(turn: Turn, item: Item) -> dict[str, Any]:
    name = media_name(assignment=turn.assignment, position=item.position)
    answer = item.answer
    return padded(
        {
            "position": item.position,
            "text": item.text,
            "media": reverse("annotations:media", args=[turn.assignment, name]),
            "receipt": receipt_sign(
                assignment=turn.assignment, position=item.position, served_at=timezone.now()
            ),
            "answer": answer and {"score": answer.score, "fluency": answer.fluency},
        }
    )


def padded(item: dict[str, Any]) -> dict[str, Any]:
    """Fill up to the next multiple of the size class, so that length says nothing.

    >>> len(json.dumps(padded({"text": "A dog."}))), len(json.dumps(padded({"text": "A" * 99})))
    (1024, 1024)
    """
    size = len(json.dumps(item | {"pad": ""}))
    return item | {"pad": "." * (-size % SIZE_CLASS)}
