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

from crowds.gateway import PermanentFault
from crowds.prolific.client import Client, rows
from crowds.prolific.shapes import Confirmation, NewSecret, Subscription
from crowds.visitors import NoticeRefused

SIGNATURE: Final = "X-Prolific-Request-Signature"
TIMESTAMP: Final = "X-Prolific-Request-Timestamp"
EVENT_ID: Final = "X-Event-ID"
WINDOW: Final = dt.timedelta(minutes=5)
LARGEST: Final = 100_000
LONGEST_ID: Final = 150
SUBSCRIPTIONS: Final = "/api/v1/hooks/subscriptions/"
EVENTS: Final = ("submission.status.change", "study.status.change")


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
        raise NoticeRefused("Notifications from Prolific are not expected here.")
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


def new_secret(client: Client, workspace: str) -> str:
    """A secret for the workspace's notifications. It takes the place of the one before."""
    made = client.act("POST", "/api/v1/hooks/secrets/", NewSecret(workspace_id=workspace))
    return str(made["value"])


def subscribe(client: Client, workspace: str, target: str) -> list[str]:
    """Subscribe an address to what it is not subscribed to yet; the kinds of event added."""
    known = rows(client.read(SUBSCRIPTIONS, {"workspace_id": workspace}))
    wanted = {one["event_type"] for one in known if one["target_url"] == target}
    missing = [event for event in EVENTS if event not in wanted]
    for event in missing:
        _subscribe(
            client, Subscription(workspace_id=workspace, event_type=event, target_url=target)
        )
    return missing


def _subscribe(client: Client, wanted: Subscription) -> None:
    """Prolific hands out a word in a header, and notifies once it has been said back."""
    made, headers = client.act_with_headers("POST", SUBSCRIPTIONS, wanted)
    # Documented as a list of subscriptions, of which the new one is the only one to be expected.
    one = made["results"][0] if "results" in made else made
    if not (word := headers.get("X-Hook-Secret")):
        raise PermanentFault("Prolific did not say how to confirm the subscription.")
    client.act("POST", f"{SUBSCRIPTIONS}{one['id']}/", Confirmation(secret=word))
