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

from crowds.gateway import (
    HitSpec,
    PublicationReport,
    PublicationSpec,
    PublicationStatus,
    SubmissionReport,
    SubmissionStatus,
)

SEPARATOR: Final = "|"
SCHEMA: Final = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
ANSWERS: Final = f"{{{SCHEMA}/2005-10-01/QuestionFormAnswers.xsd}}"
CODE_FIELD: Final = "code"
STATUSES: Final = {
    "Submitted": SubmissionStatus.SUBMITTED,
    "Approved": SubmissionStatus.APPROVED,
    "Rejected": SubmissionStatus.REJECTED,
}


def question_of(url: str) -> str:
    """Our page, in a frame that is as high as the window leaves room for."""
    return (
        f'<ExternalQuestion xmlns="{SCHEMA}/2006-07-14/ExternalQuestion.xsd">'
        f"<ExternalURL>{escape(url)}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>"
    )


def annotation_of(spec: PublicationSpec, place: HitSpec) -> str:
    """What only we are shown of a HIT: whose it is."""
    return f"{spec.reference}{SEPARATOR}{place.reference}"


def references_of(hit: Mapping[str, Any]) -> tuple[str, str]:
    """The references of publication and place that a HIT was annotated with."""
    spec, _, place = hit.get("RequesterAnnotation", "").partition(SEPARATOR)
    return spec, place


def publication_of(hit: Mapping[str, Any], *, site: str, now: dt.datetime) -> PublicationReport:
    spec, place = references_of(hit)
    return PublicationReport(
        external_id=hit["HITId"],
        reference=spec,
        status=status_of(hit, now),
        places={place: hit["HITId"]},
        people=hit["MaxAssignments"],
        address=f"{site}/mturk/preview?groupId={hit['HITGroupId']}",
    )


def status_of(hit: Mapping[str, Any], now: dt.datetime) -> PublicationStatus:
    if hit["HITStatus"] == "Disposed":
        return PublicationStatus.CLOSED
    return PublicationStatus.OPEN if hit["Expiration"] > now else PublicationStatus.EXPIRED


def submission_of(assignment: Mapping[str, Any], *, place: str = "") -> SubmissionReport:
    return SubmissionReport(
        external_id=assignment["AssignmentId"],
        publication=assignment["HITId"],
        person=assignment["WorkerId"],
        status=STATUSES[assignment["AssignmentStatus"]],
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


def answered_at(answer: Mapping[str, Any]) -> dt.datetime:
    """The marketplace's own time, which in a rehearsal may be far ahead of ours."""
    return parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])


def _utc(moment: dt.datetime | None) -> dt.datetime | None:
    return moment.astimezone(dt.UTC) if moment else None
