"""What Prolific would not allow, found out before anything is sent."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from crowds.gateway import PermanentFault, PublicationSpec
from crowds.prolific.account import Account
from crowds.prolific.filters import COUNTRIES
from crowds.prolific.money import CENT, MINIMUM_PER_HOUR, hourly
from crowds.prolific.shapes import REJECTION_LETTERS

AUTO_APPROVAL: Final = dt.timedelta(days=21)
REJECTION_CATEGORIES: Final = {
    "TOO_QUICKLY": "Finished impossibly quickly",
    "TOO_SLOWLY": "Took far too long",
    "FAILED_INSTRUCTIONS": "Did not follow the instructions",
    "LOW_EFFORT": "Hardly any effort",
    "MALINGERING": "Not truthful",
    "NO_CODE": "Gave no completion code",
    "BAD_CODE": "Gave a wrong completion code",
    "NO_DATA": "Left no ratings",
    "UNSUPP_DEVICE": "Used a device that was excluded",
    "OTHER": "Something else",
}
# Prolific's category for attention checks. Ours is a significance test over pairs of captions,
# which its rules do not count as one.
STATISTICAL: Final = "FAILED_CHECK"


def spec_check(spec: PublicationSpec, account: Account) -> None:
    """Raise PermanentFault with the first thing that is wrong with a spec."""
    for sentence in _faults(spec, account):
        raise PermanentFault(sentence)


def rejection_check(category: str, reason: str) -> None:
    if category == STATISTICAL:
        raise PermanentFault(
            "Prolific does not allow rejecting work because of a low quality statistic: "
            "approve it and leave its ratings out."
        )
    if category not in REJECTION_CATEGORIES:
        raise PermanentFault("Choose one of Prolific's categories for the rejection.")
    if len(reason.strip()) < REJECTION_LETTERS:
        raise PermanentFault(
            f"Prolific wants the reason of a rejection in {REJECTION_LETTERS} characters at least."
        )


def shortest_time_allowed(minutes: int) -> int:
    """Prolific's rule: two minutes, twice the expected time and twice its square root."""
    return math.ceil(2 + 2 * minutes + 2 * math.sqrt(minutes))


def _faults(spec: PublicationSpec, account: Account) -> Iterator[str]:
    if not spec.title.strip() or not spec.description.strip():
        yield "Prolific shows people a title and a description: write both."
    if spec.codes is None:
        yield "Prolific brings people back by completion codes: there are none."
    yield from _place_faults(spec, account)
    yield from _reward_faults(spec, account)
    yield from _time_faults(spec)
    unknown = [country for country in spec.requirements.countries if country not in COUNTRIES]
    if unknown:
        yield f"Prolific cannot be asked for people in {unknown[0]}."


def _place_faults(spec: PublicationSpec, account: Account) -> Iterator[str]:
    if not spec.places:
        yield "There is no HIT to offer."
    for place in spec.places:
        if place.people < 1:
            yield f"HIT {place.reference} is offered to nobody: give it at least one person."
        if not account.accepts(place.url):
            yield "Prolific sends people to https addresses only: set PUBLIC_URL to one."
    if len({place.reference for place in spec.places}) < len(spec.places):
        yield "The study contains a HIT twice."


def _reward_faults(spec: PublicationSpec, account: Account) -> Iterator[str]:
    if spec.reward < CENT or spec.reward != spec.reward.quantize(CENT):
        yield f"A reward of {spec.reward} {account.currency} cannot be paid: use whole cents."
        return
    if spec.minutes_expected < 1:
        yield "Say how many minutes a HIT takes."
        return
    lowest = MINIMUM_PER_HOUR.get(account.currency, Decimal(0))
    paid = hourly(spec.reward, spec.minutes_expected)
    if paid < lowest:
        yield (
            f"Prolific wants {lowest} {account.currency} an hour at least: {spec.reward} for "
            f"{spec.minutes_expected} minutes is {paid}."
        )


def _time_faults(spec: PublicationSpec) -> Iterator[str]:
    allowed = shortest_time_allowed(spec.minutes_expected)
    if spec.minutes_allowed < allowed:
        yield (
            f"Prolific wants {allowed} minutes allowed for a task of {spec.minutes_expected}: "
            f"{spec.minutes_allowed} are too few."
        )
    if spec.auto_approval > AUTO_APPROVAL:
        yield f"Prolific approves automatically after {AUTO_APPROVAL.days} days at the latest."
