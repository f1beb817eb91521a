"""What Mechanical Turk would refuse, said before anything is sent."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from hits.crowds.gateway import Offer, PermanentFault, Requirements
from hits.crowds.mturk.account import is_local
from hits.crowds.mturk.money import CENT
from hits.crowds.mturk.wording import SEPARATOR, annotation_of, question_of

SHORTEST, LONGEST = dt.timedelta(seconds=30), dt.timedelta(days=365)
LONGEST_AUTO_APPROVAL = dt.timedelta(days=30)
TITLE, DESCRIPTION, KEYWORDS, ANNOTATION = 128, 2_000, 1_000, 255
QUESTION_BYTES: Final = 65_535
REQUIREMENTS: Final = 10
COUNTRIES: Final = 30
COUNTRY = re.compile("[A-Z]{2}")


def check_offer(offer: Offer, *, local: bool) -> None:
    """Raise PermanentFault with the first of its faults."""
    for sentence in faults_of(offer, local=local):
        raise PermanentFault(sentence)


def faults_of(offer: Offer, *, local: bool) -> Iterator[str]:
    """Every limit of the documentation's that an offer does not keep, as a sentence."""
    yield from _text_faults(offer)
    yield from _time_faults(offer)
    if offer.reward < CENT:
        yield f"A reward of ${offer.reward} is below Mechanical Turk's minimum of ${CENT}."
    elif offer.reward != offer.reward.quantize(CENT):
        yield f"A reward of ${offer.reward} is not in whole cents."
    if len(offer.places) != 1 or offer.places[0].people < 1:
        yield "Mechanical Turk is given one HIT at a time, for at least one person."
        return
    yield from _address_faults(offer, local=local)
    yield from _requirement_faults(offer)


def _text_faults(offer: Offer) -> Iterator[str]:
    texts = (
        ("title", offer.title, TITLE),
        ("description", offer.description, DESCRIPTION),
        ("list of keywords", ", ".join(offer.keywords), KEYWORDS),
    )
    for name, text, longest in texts:
        if len(text) > longest:
            yield f"The {name} has {len(text)} characters; Mechanical Turk takes {longest}."
    if not (offer.title.strip() and offer.description.strip()):
        yield "A HIT on Mechanical Turk needs a title and a description."
    if SEPARATOR in offer.reference or any(
        len(annotation_of(offer, place)) > ANNOTATION for place in offer.places
    ):
        yield f"The reference {offer.reference[:40]}… cannot be kept by Mechanical Turk."


def _time_faults(offer: Offer) -> Iterator[str]:
    allowed = dt.timedelta(minutes=offer.minutes_allowed)
    for name, time in (("time to take a HIT", offer.lifetime), ("time to finish it", allowed)):
        if not SHORTEST <= time <= LONGEST:
            yield f"The {name} must be between 30 seconds and 365 days on Mechanical Turk."
    if not dt.timedelta(0) <= offer.auto_approval <= LONGEST_AUTO_APPROVAL:
        yield "Mechanical Turk approves by itself after 30 days at the latest."


def _address_faults(offer: Offer, *, local: bool) -> Iterator[str]:
    url = offer.places[0].url
    if urlsplit(url).scheme != "https" and not (local and is_local(url)):
        yield (
            "Mechanical Turk shows pages in a frame by https only: set PUBLIC_URL to an "
            "https:// address."
        )
    if len(question_of(url).encode()) > QUESTION_BYTES:
        yield "The address of the HIT is too long for Mechanical Turk."


def _requirement_faults(offer: Offer) -> Iterator[str]:
    asked = offer.requirements
    if len(offer.only) > 1:
        yield "Mechanical Turk can ask for one list of people only, not for one of several."
    if _number(asked) + len(offer.only) + len(offer.without) > REQUIREMENTS:
        yield f"Mechanical Turk takes {REQUIREMENTS} requirements at most."
    if asked.approval_rate is not None and not 0 <= asked.approval_rate <= 100:
        yield f"An approval rate of {asked.approval_rate} per cent cannot be asked for."
    if asked.approved is not None and asked.approved < 0:
        yield f"{asked.approved} approved HITs cannot be asked for."
    if len(asked.countries) > COUNTRIES:
        yield f"Mechanical Turk takes {COUNTRIES} countries at most."
    for country in asked.countries:
        if not COUNTRY.fullmatch(country):
            yield f"“{country}” is no country's code of two capitals."


def _number(asked: Requirements) -> int:
    return sum(wanted is not None for wanted in (asked.approval_rate, asked.approved)) + bool(
        asked.countries
    )
