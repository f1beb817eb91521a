"""Somebody at the door of a marketplace's HIT, and whether the marketplace has sent them.

Their address says who they are, and anybody can write an address. Prolific can be asked at once:
whom it names has a place from the beginning. Mechanical Turk tells of nobody before they hand in;
and where a crowd does not answer, nobody is kept waiting: their turn is unconfirmed until the
crowd's own list names them.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from annotations.crowds import Visitor
from annotations.errors import LinkRefused
from annotations.models import Annotator, Assignment
from annotations.services.annotators import annotator_identify
from annotations.services.assignments import assignment_claim
from annotations.services.submissions import submissions_record
from annotations.tokens import Entry
from hits.crowds.gateway import CrowdError, NotFound, Progress, Submission
from hits.crowds.prolific.visits import submission_glance
from hits.models import Campaign, ExternalId, Posting


def visit_claim(
    *,
    campaign: Campaign,
    entry: Entry,
    visitor: Visitor,
    annotator: Annotator | None,
    origin: str,
    consents: bool,
) -> Assignment:
    """Begin, or go on with, the turn of somebody who came by a link. Refused, nothing is written.

    The crowd is asked first, so that no transaction waits for it.
    """
    report = _named_by_prolific(entry, visitor) if entry.crowd == "prolific" else None
    with transaction.atomic():
        turn = assignment_claim(
            campaign=campaign,
            annotator=annotator
            or annotator_identify(crowd=entry.crowd, external_id=visitor.person),
            hit=entry.hit,
            crowd=entry.crowd,
            external_id=visitor.turn,
            return_to=visitor.return_to,
            origin=origin,
            consents=consents,
        )
        if report is not None:
            _confirm(report, entry)
    return turn


def _confirm(report: Submission, entry: Entry) -> None:
    posting = _postings(entry).get(external_ids__external_id=report.publication)
    submissions_record(
        launch=posting.launch, postings={report.publication: posting}, reports=[report]
    )


def _named_by_prolific(entry: Entry, visitor: Visitor) -> Submission | None:
    """What Prolific says of a visitor; None where it does not answer.

    Refuses somebody whom it did not send to a study with this HIT, or not any more.
    """
    postings = _postings(entry)
    if not postings.exists():
        return None
    try:
        found = submission_glance(visitor.turn)
    except NotFound:
        raise LinkRefused("Prolific did not send you here. Open the study there.") from None
    except CrowdError:
        return None
    known = postings.filter(external_ids__external_id=found.publication).exists()
    if found.person != visitor.person or not known:
        raise LinkRefused("Prolific sent somebody else here. Open the study there.")
    if found.progress != Progress.WORKING:
        raise LinkRefused("Prolific says that your part in this study is over.")
    return found


def _postings(entry: Entry) -> QuerySet[Posting]:
    """What is published of the HIT a link is for."""
    rows = Posting.objects.select_related("launch__batch__campaign").filter(
        launch__crowd=entry.crowd,
        launch__batch__campaign=entry.campaign,
        external_ids__kind=ExternalId.Kind.PUBLICATION,
    )
    rows = rows.filter(places__hit=entry.hit) if entry.hit is not None else rows
    return rows.distinct()
