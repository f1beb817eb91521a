"""Prolific's notifications: read only if Prolific signed them, just now.

They say no more than that something changed. What changed is then read through the API, so a
notification that is lost, doubled or out of order does no harm.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crowds.visitors import NoticeRefused

SIGNATURE: Final = "X-Prolific-Request-Signature"
TIMESTAMP: Final = "X-Prolific-Request-Timestamp"
EVENT_ID: Final = "X-Event-ID"
WINDOW: Final = dt.timedelta(minutes=5)
LARGEST: Final = 100_000
LONGEST_ID: Final = 150


@dataclass(frozen=True)
class Notification:
    """A notification that was checked.

    The event's id is the same whenever it is delivered again, but is not signed: somebody who
    resends what they overheard can change it. The signature they cannot, so it is an id too.
    """

    event: str
    signature: str
    kind: str
    resource: str
    study: str

    @property
    def ids(self) -> tuple[str, str]:
        """By which of the two a repetition is known."""
        return f"event {self.event}", f"signature {self.signature}"


def notice_read(
    *, headers: Mapping[str, str], body: bytes, secrets: Sequence[str], now: dt.datetime
) -> Notification:
    """The notification in a request. Nothing in it is believed before its signature fits."""
    if not secrets:
        raise NoticeRefused("Notifications of Prolific are not expected here.")
    timestamp, signature = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
    if len(body) > LARGEST or not _is_signed(timestamp, body, signature, secrets):
        raise NoticeRefused("The notification is not signed by Prolific.")
    if abs(now - _moment(timestamp)) > WINDOW:
        raise NoticeRefused("The notification is too old, or from the future.")
    event = headers.get(EVENT_ID, "")
    if not 0 < len(event) <= LONGEST_ID:
        raise NoticeRefused("The notification has no id.")
    said = _content(body)
    return Notification(
        event=event,
        signature=signature,
        kind=str(said.get("event_type", "")),
        resource=str(said.get("resource_id", "")),
        study=_study(said),
    )


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """The signature of a notification: HMAC-SHA256 over the moment and the bytes of the body."""
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def _is_signed(timestamp: str, body: bytes, signature: str, secrets: Sequence[str]) -> bool:
    given = signature.encode()
    return any(
        hmac.compare_digest(sign(secret, timestamp, body).encode(), given) for secret in secrets
    )


def _moment(timestamp: str) -> dt.datetime:
    try:
        return dt.datetime.fromtimestamp(int(timestamp), tz=dt.UTC)
    except (ValueError, OverflowError, OSError):
        raise NoticeRefused("The notification does not say when it was sent.") from None


def _content(body: bytes) -> dict[str, object]:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise NoticeRefused("The notification cannot be read.")
    return said


def _study(said: Mapping[str, object]) -> str:
    """Which study it is about: itself the resource, or named beside its submission."""
    if str(said.get("event_type", "")).startswith("study."):
        return str(said.get("resource_id", ""))
    return str(said.get("study_id", ""))
