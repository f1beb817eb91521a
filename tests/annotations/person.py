"""Somebody at a browser that has no cookies, doing what the rating page's script does."""

from __future__ import annotations

import json
import re
import uuid
from typing import Any

from django.test import Client

from annotations.models import Assignment
from annotations.services.assignments import batches_open
from annotations.tokens import Entry, session_read, since
from crowds.invite.invitations import annotators_invite, invitation_entry
from crowds.models import Invitation
from crowds.selectors.entry import entry_path
from hits.models import Batch, Campaign
from tests.pages import text_of

ORIGIN = "http://testserver"
EVIDENCE = {
    "elapsed_ms": 9000,
    "first_touch_ms": 6000,
    "last_touch_ms": 7000,
    "moves": 3,
    "plays": 1,
    "watched_ms": 4000,
    "hidden_ms": 0,
}


def invite(campaign: Campaign, name: str = "Anna") -> Invitation:
    """An invitation to a campaign that is open."""
    batches_open(campaign=campaign)
    return annotators_invite(campaign=campaign, names=[name])[0]


def link(invitation: Invitation) -> str:
    return entry_path(invitation_entry(invitation))


def crowd_link(campaign: Campaign, crowd: str = "mturk", **more: Any) -> str:
    """What a marketplace is given to send its people to."""
    made = Batch.objects.get(hits=more["hit"]) if "hit" in more else campaign
    entry = Entry(campaign=campaign.pk, crowd=crowd, since=since(made.created_at), **more)
    return entry_path(entry)


def body(receipt: str, score: Any = 50, **changes: Any) -> dict[str, Any]:
    """A rating as the page posts it."""
    whole = {
        "receipt": receipt,
        "key": str(uuid.uuid4()),
        "score": score,
        "fluency": None,
        "evidence": EVIDENCE,
    }
    return whole | changes


class Person:
    """Opens a link, presses Start, and rates."""

    def __init__(self, path: str, *, address: str = "127.0.0.1", **form: str) -> None:
        self.client = Client(enforce_csrf_checks=True, HTTP_ORIGIN=ORIGIN, REMOTE_ADDR=address)
        self.entered = self.client.post(path, form)
        self.items: dict[int, dict[str, Any]] = {}
        if self.entered.status_code == 302:
            self.page_path = self.entered["Location"]
            self.token = self.page_path.rstrip("/").rpartition("/")[2]
            self.reload()

    @property
    def assignment(self) -> Assignment:
        return Assignment.objects.get(pk=session_read(self.token).assignment)

    def reload(self) -> dict[str, Any]:
        """Open the page and read what it carries for its script."""
        html = text_of(self.client.get(self.page_path))
        found = re.search(r'<script id="work" type="application/json">(.*?)</script>', html, re.S)
        assert found, html
        self.work: dict[str, Any] = json.loads(found[1])
        self.keep(self.work["items"])
        return self.work

    def keep(self, items: list[dict[str, Any]]) -> None:
        self.items |= {item["position"]: item for item in items}

    def post(self, path: str, data: Any, **headers: str) -> Any:
        return self.client.post(
            path,
            data if isinstance(data, bytes) else json.dumps(data),
            content_type="application/json",
            headers={"X-Assignment": self.token, **headers},
        )

    def get(self, path: str) -> Any:
        return self.client.get(path, headers={"X-Assignment": self.token})

    def save(self, position: int, score: Any = 50, **changes: Any) -> Any:
        """Post a rating of the item at a position that was handed out."""
        response = self.post("/rate/save", body(self.items[position]["receipt"], score, **changes))
        if response.status_code == 200:
            self.keep(response.json()["items"])
        return response

    def save_all(self) -> None:
        for position in range(self.work["done"], self.work["total"]):
            assert self.save(position, position % 101).status_code == 200

    def submit(self, **data: Any) -> Any:
        if shown := [each["position"] for each in self.work.get("sentBack", ())]:
            data = {"corrected": shown} | data
        return self.post("/rate/submit", data)
