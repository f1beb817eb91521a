"""Full addresses to be sent out into the world."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.urls import reverse

from annotations.tokens import Entry, entry_sign


def entry_address(entry: Entry) -> str:
    """Where a person, or a marketplace on their behalf, opens the campaign."""
    return settings.PUBLIC_URL + entry_path(entry)


def entry_addresses(entries: Iterable[Entry]) -> list[str]:
    """The same for many: looking up the page takes longer than signing, and is done once."""
    path = reverse("crowds:enter", args=["TOKEN"])
    return [settings.PUBLIC_URL + path.replace("TOKEN", entry_sign(entry)) for entry in entries]


def entry_path(entry: Entry) -> str:
    return reverse("crowds:enter", args=[entry_sign(entry)])
