"""Whose account is used, and how people find the way from Prolific to a HIT and back."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final
from urllib.parse import parse_qs, quote, urlsplit

from hits.crowds.gateway import Place
from hits.crowds.prolific.shapes import Device

API: Final = "https://api.prolific.com"
# Prolific knows a HIT by its address only, so the address says which HIT it is.
PLACE: Final = "place"


@dataclass(frozen=True)
class Parameters:
    """What a HIT's address calls the person, the study and the submission. Other crowds differ."""

    person: str = "PROLIFIC_PID"
    study: str = "STUDY_ID"
    submission: str = "SESSION_ID"


@dataclass(frozen=True)
class Account:
    """A workspace at Prolific. The token is never shown."""

    token: str = field(repr=False)
    workspace: str
    project: str = ""
    currency: str = "USD"
    fee_rate: Decimal = Decimal("0.40")  # with the tax on it; depends on the kind of account
    api: str = API
    devices: tuple[Device, ...] = ("desktop", "tablet", "mobile")
    parameters: Parameters = Parameters()

    @property
    def rehearses(self) -> bool:
        """Whether this is a stand-in on the organiser's own machine."""
        return is_loopback(self.api)

    @property
    def site(self) -> str:
        """Where people see studies: api.prolific.com's neighbour, or the stand-in itself."""
        return self.api.replace("//api.", "//app.", 1)

    def accepts(self, address: str) -> bool:
        """Only https leaves the machine; plain http may be spoken inside it, to rehearse."""
        return address.startswith("https://") or (self.rehearses and is_loopback(address))

    def study_page(self, study: str) -> str:
        return f"{self.site}/researcher/workspaces/studies/{study}/submissions"

    def completion_page(self, code: str) -> str:
        return f"{self.site}/submissions/complete?cc={quote(code)}"

    def hit_address(self, place: Place) -> str:
        """The HIT's address, with the words Prolific replaces for everybody it sends there."""
        names = self.parameters
        joint = "&" if urlsplit(place.url).query else "?"
        return (
            f"{place.url}{joint}{names.person}={{{{%PROLIFIC_PID%}}}}"
            f"&{names.study}={{{{%STUDY_ID%}}}}&{names.submission}={{{{%SESSION_ID%}}}}"
            f"&{PLACE}={quote(place.reference, safe='')}"
        )


def place_reference(address: str) -> str:
    """Which place an address was made for; empty when it is none of ours."""
    return parse_qs(urlsplit(address).query).get(PLACE, [""])[0]


def is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
