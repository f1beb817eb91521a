"""Full addresses to be sent out into the world."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.urls import reverse

from annotations.models import GroupLink, Invitation
from annotations.tokens import Entry, Group, entry_sign, group_sign


def entry_address(entry: Entry) -> str:
    """Where a person, or a marketplace on their behalf, opens the campaign."""
    return settings.PUBLIC_URL + entry_path(entry)


def entry_addresses(entries: Iterable[Entry]) -> list[str]:
    """The same for many: looking up the page takes longer than signing, and is done once."""
    path = reverse("annotations:enter", args=["TOKEN"])
    return [settings.PUBLIC_URL + path.replace("TOKEN", entry_sign(entry)) for entry in entries]


def entry_path(entry: Entry) -> str:
    return reverse("annotations:enter", args=[entry_sign(entry)])


def join_address(link: GroupLink) -> str:
    """One link for everybody: whoever opens it gets a link of their own."""
    group = Group(campaign=link.campaign_id, version=link.version)
    return settings.PUBLIC_URL + reverse("annotations:join", args=[group_sign(group)])


def invitation_entry(invitation: Invitation) -> Entry:
    """What the link of one invited person says."""
    return Entry(campaign=invitation.campaign_id, crowd="invite", invitation=invitation.pk)
