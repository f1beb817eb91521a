"""Whose account is used, and how people find the way from Prolific to a HIT and back."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Final, cast, get_args
from urllib.parse import parse_qs, quote, urlsplit

from django.conf import settings

from crowds.gateway import HitSpec, PermanentFault
from crowds.prolific.shapes import Device

API: Final = "https://api.prolific.com"
KEYS: Final = "/.well-known/study/jwks.json"
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
    signs_links: bool = False  # some workspaces only
    keys: str = ""  # where the keys are that links are signed with; empty: at the API

    @property
    def keys_address(self) -> str:
        return self.keys or self.api + KEYS

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

    def hit_address(self, place: HitSpec) -> str:
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


def account_read() -> Account:
    """The account the settings describe; refused in one sentence when it cannot be one."""
    for sentence in _faults():
        raise PermanentFault(sentence)
    return Account(
        token=settings.PROLIFIC_TOKEN,
        workspace=settings.PROLIFIC_WORKSPACE,
        project=settings.PROLIFIC_PROJECT,
        currency=settings.PROLIFIC_CURRENCY,
        fee_rate=Decimal(settings.PROLIFIC_FEE_PERCENT) / 100,
        api=settings.PROLIFIC_URL,
        devices=cast(tuple[Device, ...], tuple(settings.PROLIFIC_DEVICES)),
        parameters=Parameters(*settings.PROLIFIC_PARAMETERS),
        signs_links=settings.PROLIFIC_SIGNED_LINKS,
        keys=settings.PROLIFIC_KEYS_URL,
    )


def _faults() -> Iterator[str]:
    if not settings.PROLIFIC_TOKEN:
        yield "No API token for Prolific is set (PROLIFIC_TOKEN)."
    if not settings.PROLIFIC_WORKSPACE:
        yield "No Prolific workspace is set (PROLIFIC_WORKSPACE)."
    if not (settings.PROLIFIC_URL.startswith("https://") or is_loopback(settings.PROLIFIC_URL)):
        yield "PROLIFIC_URL must be an https address, because the token is sent to it."
    if settings.PROLIFIC_KEYS_URL and not (
        settings.PROLIFIC_KEYS_URL.startswith("https://") or is_loopback(settings.PROLIFIC_KEYS_URL)
    ):
        yield "PROLIFIC_KEYS_URL must be an https address: whoever is believed is named there."
    if not set(settings.PROLIFIC_DEVICES) <= set(get_args(Device)):
        yield f"PROLIFIC_DEVICES can name {', '.join(get_args(Device))}."
    if len(settings.PROLIFIC_PARAMETERS) != len(fields(Parameters)):
        yield "PROLIFIC_PARAMETERS has three words: for the person, the study, the submission."
