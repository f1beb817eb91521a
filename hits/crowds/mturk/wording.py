"""Our words in Mechanical Turk's, and its answers in ours. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final
from xml.etree.ElementTree import ParseError
from xml.sax.saxutils import escape

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from hits.crowds.gateway import Offer, Place, Progress, Publication, Standing, Submission

SEPARATOR: Final = "|"
SCHEMA: Final = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
ANSWERS: Final = f"{{{SCHEMA}/2005-10-01/QuestionFormAnswers.xsd}}"
CODE_FIELD: Final = "code"
PROGRESS: Final = {
    "Submitted": Progress.SUBMITTED,
    "Approved": Progress.APPROVED,
    "Rejected": Progress.REJECTED,
}


def question_of(url: str) -> str:
    """Our page, in a frame that is as high as the window leaves room for."""
    return (
        f'<ExternalQuestion xmlns="{SCHEMA}/2006-07-14/ExternalQuestion.xsd">'
        f"<ExternalURL>{escape(url)}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>"
    )


def annotation_of(offer: Offer, place: Place) -> str:
    """What only we are shown of a HIT: whose it is."""
    return f"{offer.reference}{SEPARATOR}{place.reference}"


def references_of(hit: Mapping[str, Any]) -> tuple[str, str]:
    """The references of offer and place that a HIT was annotated with."""
    offer, _, place = hit.get("RequesterAnnotation", "").partition(SEPARATOR)
    return offer, place


def publication_of(hit: Mapping[str, Any], *, site: str, now: dt.datetime) -> Publication:
    offer, place = references_of(hit)
    return Publication(
        external_id=hit["HITId"],
        reference=offer,
        standing=standing_of(hit, now),
        places={place: hit["HITId"]},
        people=hit["MaxAssignments"],
        address=f"{site}/mturk/preview?groupId={hit['HITGroupId']}",
    )


def standing_of(hit: Mapping[str, Any], now: dt.datetime) -> Standing:
    if hit["HITStatus"] == "Disposed":
        return Standing.CLOSED
    return Standing.OPEN if hit["Expiration"] > now else Standing.EXPIRED


def submission_of(assignment: Mapping[str, Any], *, place: str = "") -> Submission:
    return Submission(
        external_id=assignment["AssignmentId"],
        publication=assignment["HITId"],
        person=assignment["WorkerId"],
        progress=PROGRESS[assignment["AssignmentStatus"]],
        place=place,
        started_at=_utc(assignment.get("AcceptTime")),
        submitted_at=_utc(assignment.get("SubmitTime")),
        auto_approval_at=_utc(assignment.get("AutoApprovalTime")),
        code=code_of(assignment.get("Answer", "")),
    )


def marked_reason(reason: str, key: str) -> str:
    """A bonus's reason with what its act is known by, to tell it from another just like it.

    >>> marked_reason("Careful work.", "3f2a9c0d11e2")
    'Careful work. (ref. 3f2a9c0d)'
    """
    return f"{reason} (ref. {key[:8]})"


def code_of(answer: str) -> str:
    """The completion code among the fields the page posted; empty when there is none."""
    try:
        root = fromstring(answer)
    except (ParseError, DefusedXmlException):
        return ""
    for one in root.iter(f"{ANSWERS}Answer"):
        if one.findtext(f"{ANSWERS}QuestionIdentifier") == CODE_FIELD:
            return one.findtext(f"{ANSWERS}FreeText") or ""
    return ""


def told_at(answer: Mapping[str, Any]) -> dt.datetime:
    """The marketplace's own time, which in a rehearsal may be far ahead of ours."""
    return parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])


def _utc(moment: dt.datetime | None) -> dt.datetime | None:
    return moment.astimezone(dt.UTC) if moment else None
