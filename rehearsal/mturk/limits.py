"""The limits that the service's documentation states in prose and its model leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from rehearsal.mturk.qualifying import LOCALE

DAY = 86_400
TEXTS = {
    "Title": 128,
    "Description": 2_000,
    "Keywords": 1_000,
    "RequesterAnnotation": 255,
    "Subject": 200,
    "MessageText": 4_096,
    "RequesterFeedback": 1_024,
}
NUMBERS = {
    "LifetimeInSeconds": (30, 365 * DAY),
    "AssignmentDurationInSeconds": (30, 365 * DAY),
    "AutoApprovalDelayInSeconds": (0, 30 * DAY),
    "MaxAssignments": (1, 1_000_000_000),
    "NumberOfAdditionalAssignments": (1, 1_000_000_000),
}
QUESTION_BYTES = 65_535
WORKERS_PER_LETTER = 100
REQUIREMENTS = 10
INTEGERS, LOCALES = 15, 30
LOWEST_PAY = Decimal("0.01")
EXTERNAL_QUESTION = (
    "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/"
    "ExternalQuestion.xsd}"
)
# Pages of this very machine may be framed without https: a rehearsal needs no certificate.
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def prose_faults(operation: str, request: dict[str, Any]) -> Iterator[str]:
    """What the documentation forbids in a request that the model allows."""
    yield from _size_faults(request)
    for name in ("Reward", "BonusAmount"):
        if name in request and Decimal(request[name]) < LOWEST_PAY:
            yield f"{name} must be at least {LOWEST_PAY}"
    if len(request.get("WorkerIds", [])) > WORKERS_PER_LETTER:
        yield f"WorkerIds may name {WORKERS_PER_LETTER} workers at most"
    for requirement in request.get("QualificationRequirements", []):
        yield from _requirement_faults(requirement)
    if len(request.get("QualificationRequirements", [])) > REQUIREMENTS:
        yield f"QualificationRequirements may have {REQUIREMENTS} elements at most"
    if operation in ("CreateHIT", "CreateHITWithHITType"):
        yield from _question_faults(request.get("Question", ""))


def _size_faults(request: dict[str, Any]) -> Iterator[str]:
    for name, longest in TEXTS.items():
        if len(request.get(name, "")) > longest:
            yield f"{name} may have {longest} characters at most"
    for name, (lowest, highest) in NUMBERS.items():
        if name in request and not lowest <= request[name] <= highest:
            yield f"{name} must be from {lowest} to {highest}"


def _requirement_faults(requirement: dict[str, Any]) -> Iterator[str]:
    integers, locales = requirement.get("IntegerValues"), requirement.get("LocaleValues")
    comparator = requirement["Comparator"]
    is_locale = requirement["QualificationTypeId"] == LOCALE
    values = locales if is_locale else integers
    if comparator in ("Exists", "DoesNotExist"):
        if integers or locales:
            yield f"{comparator} takes no values"
    elif not values:
        yield f"{comparator} needs {'LocaleValues' if is_locale else 'IntegerValues'}"
    elif comparator not in ("In", "NotIn") and len(values) != 1:
        yield f"{comparator} takes one value"
    if is_locale and comparator not in ("EqualTo", "NotEqualTo", "In", "NotIn"):
        yield f"a locale cannot be compared with {comparator}"
    if len(integers or []) > INTEGERS or len(locales or []) > LOCALES:
        yield f"{comparator} takes {INTEGERS} integers or {LOCALES} locales at most"


def _question_faults(question: str) -> Iterator[str]:
    """Only external questions can be worked on here."""
    if len(question.encode()) > QUESTION_BYTES:
        yield f"Question may have {QUESTION_BYTES} bytes at most"
        return
    try:
        root = fromstring(question)
    except (ParseError, DefusedXmlException):
        yield "Question is not well-formed XML"
        return
    address = external_url(question) if root.tag == f"{EXTERNAL_QUESTION}ExternalQuestion" else ""
    if not address:
        yield "Question must be an ExternalQuestion with an ExternalURL"
    elif not _may_be_framed(address):
        yield "ExternalURL must begin with https://"
    if not (root.findtext(f"{EXTERNAL_QUESTION}FrameHeight") or "").isdecimal():
        yield "ExternalQuestion needs a FrameHeight of 0 or more"


def external_url(question: str) -> str:
    """The page that an ExternalQuestion shows."""
    text = fromstring(question).findtext(f"{EXTERNAL_QUESTION}ExternalURL")
    return (text or "").strip()


def _may_be_framed(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOCAL_HOSTS)
