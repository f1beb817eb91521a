"""Telling subscribers what happened, signed as Prolific signs."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rehearsal.prolific.market import Event, Market, Refusal


@dataclass
class Subscription:
    """Who is told about one kind of event; told nothing before it is confirmed."""

    id: str
    kind: str
    target: str
    workspace: str
    confirmation: str = field(default_factory=lambda: secrets.token_hex(8), repr=False)
    confirmed: bool = False

    def line(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "event_type": self.kind,
            "target_url": self.target,
            "workspace_id": self.workspace,
            "is_enabled": self.confirmed,
        }


@dataclass(frozen=True)
class Delivery:
    """One notification, ready to be posted."""

    target: str
    headers: dict[str, str]
    body: bytes


class Hooks:
    """The workspace's secret, its subscriptions and what has been sent."""

    def __init__(self, market: Market) -> None:
        self._market = market
        self.secret = ""
        self.subscriptions: list[Subscription] = []
        self._sent = 0

    def new_secret(self) -> str:
        """A new secret replaces the old one."""
        self.secret = secrets.token_urlsafe(24)
        return self.secret

    def subscribe(self, kind: str, target: str) -> Subscription:
        if not self.secret:
            raise Refusal("Create a secret first.")
        number = len(self.subscriptions) + 1
        one = Subscription(f"subscription{number}", kind, target, self._market.workspace)
        self.subscriptions.append(one)
        return one

    def confirm(self, subscription: str, secret: str) -> Subscription:
        for one in self.subscriptions:
            if one.id == subscription and hmac.compare_digest(one.confirmation, secret):
                one.confirmed = True
                return one
        raise Refusal("The secret is not the one of the subscription.")

    def due(self) -> list[Delivery]:
        """What happened since this was last asked, for everybody subscribed to it."""
        with self._market.lock:
            events, self._sent = self._market.events[self._sent :], len(self._market.events)
        return [delivery for event in events for delivery in self._deliveries(event)]

    def deliver(self, *, times: int = 1) -> list[int]:
        """Post what is due, each so many times; the statuses that came back."""
        return [_post(delivery) for delivery in self.due() for _ in range(times)]

    def _deliveries(self, event: Event) -> Iterator[Delivery]:
        for one in self.subscriptions:
            if one.confirmed and one.kind == event.kind:
                yield self.sign(event, one.target)

    def sign(self, event: Event, target: str = "") -> Delivery:
        said = {
            "event_type": event.kind,
            "resource_id": event.resource,
            "status": event.status,
            "study_id": event.study,
        }
        body = json.dumps(said).encode()
        timestamp = str(int(self._market.clock().timestamp()))
        digest = hmac.new(self.secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
        headers = {
            "Content-Type": "application/json",
            "X-Event-ID": event.id,
            "X-Prolific-Request-Timestamp": timestamp,
            "X-Prolific-Request-Signature": base64.b64encode(digest).decode(),
        }
        return Delivery(target, headers, body)


def _post(delivery: Delivery) -> int:
    request = urllib.request.Request(  # noqa: S310 - the address subscribed on this machine
        delivery.target, data=delivery.body, headers=delivery.headers, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
