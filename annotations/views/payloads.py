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
from annotations.samples import marked_in
from annotations.selectors.work import (
    Item,
    answers_given,
    items_between,
    page_after,
    page_at,
    rated_count,
    sent_back,
)
from annotations.tokens import RatingSession, Receipt, media_name, receipt_sign
from hits.models import Video

SIZE_CLASS = 1024


def work_payload(session: RatingSession, assignment: Assignment) -> dict[str, Any]:
    """Where the work stands, with the page to be rated and the next.

    Of a page that was left half rated, what was rated comes with its answers. Work that was handed
    in says which pages were sent back.
    """
    done = rated_count(session.assignment)
    page = page_at(session, done)
    left = assignment.expires_at - timezone.now() if assignment.expires_at else None
    remarks = sent_back(assignment)
    return {
        "done": done,
        "total": assignment.hit.items.count(),
        "secondsLeft": max(0, int(left.total_seconds())) if left else 0,
        "sentBack": [{"position": at, "remark": remark} for at, remark in remarks.items()],
        "items": page_payload(session, page, is_new=page.start == done)
        + page_payload(session, page_after(session, page)),
    }


def page_payload(
    session: RatingSession, page: range, *, is_new: bool = True
) -> list[dict[str, Any]]:
    """The items of a page; of one that is not new, with the answers they have."""
    answers = {} if is_new else answers_given(assignment_id=session.assignment, page=page)
    items = items_between(hit_id=session.hit, first=page.start, last=page.stop - 1)
    return [_item_payload(session, page, item, answers.get(item.position)) for item in items]


def _item_payload(
    session: RatingSession, page: range, item: Item, answer: dict[str, Any] | None
) -> dict[str, Any]:
    receipt = Receipt(
        item.position, timezone.now(), round(1000 * (item.seconds or 0) / session.fastest)
    )
    return padded(
        {
            "position": item.position,
            "page": [page.start, page.stop],
            "text": "" if session.asked.writes else item.text,
            **marked_in(session.asked, item.text),
            "media": media_address(session.assignment, page.start),
            "isImage": item.is_image,
            "receipt": receipt_sign(receipt, assignment=session.assignment),
            "answer": answer,
            **({"clip": item.clip} if item.clip else {}),
            **({"filled": item.filled} if session.sees_filled else {}),
        }
    )


def media_address(assignment: int, position: int, video: Video | None = None) -> str:
    """Where the video of a page is, named by its first position only."""
    name = media_name(assignment=assignment, position=position)
    return reverse("annotations:media", args=[assignment, name])


def padded(item: dict[str, Any]) -> dict[str, Any]:
    """Fill up to the next multiple of the size class, so that length says nothing.

    >>> len(json.dumps(padded({"text": "A dog."}))), len(json.dumps(padded({"text": "A" * 99})))
    (1024, 1024)
    """
    size = len(json.dumps(item | {"pad": ""}))
    return item | {"pad": "." * (-size % SIZE_CLASS)}
