"""What Mechanical Turk would refuse, said before anything is sent."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from crowds.gateway import PermanentFault, PublicationSpec, Requirements
from crowds.mturk.money import CENT
from crowds.mturk.wording import SEPARATOR, annotation_of, question_of

SHORTEST, LONGEST = dt.timedelta(seconds=30), dt.timedelta(days=365)
LONGEST_AUTO_APPROVAL = dt.timedelta(days=30)
TITLE, DESCRIPTION, KEYWORDS, ANNOTATION = 128, 2_000, 1_000, 255
QUESTION_BYTES: Final = 65_535
REQUIREMENTS: Final = 10
COUNTRIES: Final = 30
COUNTRY = re.compile("[A-Z]{2}")


def check_spec(spec: PublicationSpec, *, local: bool) -> None:
    """Raise PermanentFault with the first of its faults."""
    for sentence in faults_of(spec, local=local):
        raise PermanentFault(sentence)


def faults_of(spec: PublicationSpec, *, local: bool) -> Iterator[str]:
    """Every limit of the documentation's that a spec does not keep, as a sentence."""
    yield from _text_faults(spec)
    yield from _time_faults(spec)
    if spec.reward < CENT:
        yield f"A reward of ${spec.reward} is below Mechanical Turk's minimum of ${CENT}."
    elif spec.reward != spec.reward.quantize(CENT):
        yield f"A reward of ${spec.reward} is not in whole cents."
    if len(spec.places) != 1 or spec.places[0].people < 1:
        yield "Mechanical Turk takes one HIT at a time, for at least one person."
        return
    yield from _address_faults(spec, local=local)
    yield from _requirement_faults(spec)


def _text_faults(spec: PublicationSpec) -> Iterator[str]:
    texts = (
        ("title", spec.title, TITLE),
        ("description", spec.description, DESCRIPTION),
        ("list of keywords", ", ".join(spec.keywords), KEYWORDS),
    )
    for name, text, longest in texts:
        if len(text) > longest:
            yield f"The {name} has {len(text)} characters; Mechanical Turk takes {longest}."
    if not (spec.title.strip() and spec.description.strip()):
        yield "A HIT on Mechanical Turk needs a title and a description."
    if SEPARATOR in spec.reference or any(
        len(annotation_of(spec, place)) > ANNOTATION for place in spec.places
    ):
        yield f"The reference {spec.reference[:40]}… cannot be kept by Mechanical Turk."


def _time_faults(spec: PublicationSpec) -> Iterator[str]:
    allowed = dt.timedelta(minutes=spec.minutes_allowed)
    for name, time in (("time to take a HIT", spec.lifetime), ("time to finish it", allowed)):
        if not SHORTEST <= time <= LONGEST:
            yield f"The {name} must be between 30 seconds and 365 days on Mechanical Turk."
    if not dt.timedelta(0) <= spec.auto_approval <= LONGEST_AUTO_APPROVAL:
        yield "Mechanical Turk approves automatically after 30 days at the latest."


def _address_faults(spec: PublicationSpec, *, local: bool) -> Iterator[str]:
    url = spec.places[0].url
    if urlsplit(url).scheme != "https" and not local:
        yield (
            "Mechanical Turk shows pages in a frame by https only: set PUBLIC_URL to an "
            "https:// address."
        )
    if len(question_of(url).encode()) > QUESTION_BYTES:
        yield "The address of the HIT is too long for Mechanical Turk."


def _requirement_faults(spec: PublicationSpec) -> Iterator[str]:
    asked = spec.requirements
    if len(spec.only) > 1:
        yield "Mechanical Turk can require only one list of people, not one of several."
    if _number(asked) + len(spec.only) + len(spec.without) > REQUIREMENTS:
        yield f"Mechanical Turk takes {REQUIREMENTS} requirements at most."
    if asked.approval_rate is not None and not 0 <= asked.approval_rate <= 100:
        yield f"An approval rate of {asked.approval_rate} per cent cannot be asked for."
    if asked.approved is not None and asked.approved < 0:
        yield f"{asked.approved} approved HITs cannot be asked for."
    if len(asked.countries) > COUNTRIES:
        yield f"Mechanical Turk takes {COUNTRIES} countries at most."
    for country in asked.countries:
        if not COUNTRY.fullmatch(country):
            yield f"“{country}” is not a two-letter country code in capitals."


def _number(asked: Requirements) -> int:
    return sum(wanted is not None for wanted in (asked.approval_rate, asked.approved)) + bool(
        asked.countries
    )
