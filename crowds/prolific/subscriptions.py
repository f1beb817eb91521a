"""Asking Prolific to notify us."""

from __future__ import annotations

from typing import Final

from crowds.gateway import PermanentFault
from crowds.prolific.answers import rows
from crowds.prolific.client import Client
from crowds.prolific.shapes import Confirmation, NewSecret, Subscription

SUBSCRIPTIONS: Final = "/api/v1/hooks/subscriptions/"
EVENTS: Final = ("submission.status.change", "study.status.change")


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
