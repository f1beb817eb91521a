"""Somebody at the door of a marketplace's HIT, and whether the marketplace has sent them.

Their address says who they are, and anybody can write an address. Some crowds sign theirs, or can
be asked at once: whom they name has a place from the beginning. Others tell of nobody before they
hand in; and where a crowd does not answer, nobody is kept waiting: their turn is unconfirmed until
the crowd's own list names them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.errors import FormRefused, LinkRefused, NothingToTake, TooManyClaims
from annotations.models import Annotator, Assignment, FormAnswers
from annotations.selectors.confirming import lease
from annotations.selectors.work import sees_filled
from annotations.services.assignments import annotator_identify, assignments_expire
from annotations.tokens import Entry
from crowds.gateway import CrowdError, NotFound, SubmissionReport, SubmissionStatus
from crowds.models import Arrival, ExternalId, Publication, PublishedHit
from crowds.registry import OWN, crowd_named
from crowds.selectors.entry import (
    assignment_earlier,
    assignments_open,
    claim_obstacle,
    form_asked,
    is_claimed_too_often,
    is_confirmed_later,
)
from crowds.services.submissions import submissions_record
from crowds.visitors import Visitor
from hits.models import Campaign
from hits.protocols.own import form_objection

State = Assignment.State


def visit_claim(
    *,
    campaign: Campaign,
    entry: Entry,
    visitor: Visitor,
    annotator: Annotator | None,
    origin: str,
    consents: bool,
    form: Mapping[str, str] | None = None,
) -> Assignment:
    """Begin, or go on with, the turn of somebody who came by a link. Refused, nothing is written.

    The crowd is asked first, so that no transaction waits for it.
    """
    report = _confirmed(entry, visitor)
    with transaction.atomic():
        turn = assignment_claim(
            campaign=campaign,
            annotator=annotator
            or annotator_identify(crowd=entry.crowd, external_id=visitor.person),
            hit=entry.hit,
            crowd=entry.crowd,
            external_id=visitor.external_id,
            return_to=visitor.return_to,
            origin=origin,
            consents=consents,
            form=form,
        )
        if report is not None:
            _confirm(report, entry)
    return turn


def _confirm(report: SubmissionReport, entry: Entry) -> None:
    publication = _publications(entry).get(external_ids__external_id=report.publication)
    submissions_record(
        launch=publication.launch, publications={report.publication: publication}, reports=[report]
    )


def _confirmed(entry: Entry, visitor: Visitor) -> SubmissionReport | None:
    """What the crowd says of a visitor; None where it cannot be asked, or does not answer.

    Refuses somebody whom it did not send to this HIT, or not any more.
    """
    crowd, publications = crowd_named(entry.crowd), _publications(entry)
    if not crowd.confirms_at_once or not publications.exists():
        return None
    try:
        found = crowd.confirm(visitor)
    except NotFound:
        raise LinkRefused(
            _("{crowd} did not send you here. Open the study there.").format(crowd=crowd.label)
        ) from None
    except CrowdError:
        return None
    known = publications.filter(external_ids__external_id=found.publication).exists()
    is_theirs = (found.person, found.external_id) == (visitor.person, visitor.external_id)
    is_elsewhere = entry.hit is not None and found.place not in (
        "",  # where the crowd was asked, and knows of no places
        PublishedHit(hit_id=entry.hit).reference,
    )
    if not is_theirs or not known or is_elsewhere:
        raise LinkRefused(
            _("{crowd} sent somebody else here. Open the study there.").format(crowd=crowd.label)
        )
    if found.status != SubmissionStatus.WORKING:
        raise LinkRefused(
            _("{crowd} says that your part in this study is over.").format(crowd=crowd.label)
        )
    return found


def _publications(entry: Entry) -> QuerySet[Publication]:
    """What is published of the HIT a link is for."""
    rows = Publication.objects.select_related("launch__batch__campaign").filter(
        launch__crowd=entry.crowd,
        launch__batch__campaign=entry.campaign,
        external_ids__kind=ExternalId.Kind.PUBLICATION,
    )
    rows = rows.filter(published_hits__hit=entry.hit) if entry.hit is not None else rows
    return rows.distinct()


@transaction.atomic
def assignment_claim(
    *,
    campaign: Campaign,
    annotator: Annotator,
    hit: int | None = None,
    crowd: str = OWN,
    external_id: str = "",
    return_to: str = "",
    origin: str = "",
    consents: bool = False,
    form: Mapping[str, str] | None = None,
    now: dt.datetime | None = None,
) -> Assignment:
    """Take an open assignment, or come back to the one this person is working on.

    Where a marketplace says who works, the turn only begins: it takes a place once it is confirmed.
    ``form`` is what they say of themselves; None where nobody could ask, as simulated people come.
    """
    now = now or timezone.now()
    # People queue here, a moment each, so that limits hold for one person in many tabs too.
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    earlier = assignment_earlier(
        campaign=campaign, annotator=annotator, hit=hit, crowd=crowd, external_id=external_id
    )
    if earlier is not None:
        return earlier
    if campaign.consent and not consents:
        raise NothingToTake(_("Please agree to take part first."))
    asked = [] if form is None else form_asked(campaign, annotator)
    if objection := form_objection(asked, form or {}):
        raise FormRefused(_(objection.sentence).format(**objection.values))
    assignments_expire(campaign=campaign, now=now)
    if sentence := claim_obstacle(campaign=campaign, annotator=annotator, hit=hit, crowd=crowd):
        raise NothingToTake(sentence)
    place = assignments_open(campaign=campaign, annotator=annotator, hit=hit, crowd=crowd)[0]
    is_strange = is_confirmed_later(place.hit_id)
    if is_strange and is_claimed_too_often(hit=place.hit_id, origin=origin, now=now):
        raise TooManyClaims(
            _(
                "Too many people have begun this study from your network. Wait a while, then try "
                "again."
            )
        )
    # Somebody the marketplace has not named yet gets a row beside the place, which stays open.
    turn = Assignment(campaign=campaign, hit_id=place.hit_id) if is_strange else place
    turn.state, turn.annotator, turn.claimed_at = State.ACTIVE, annotator, now
    turn.consented_at = now if campaign.consent else None
    turn.expires_at = now + dt.timedelta(minutes=campaign.minutes_allowed)
    turn.sees_filled = sees_filled(campaign, annotator)
    turn.save()
    if form and asked:
        answers = {each["name"]: form[each["name"]].strip() for each in asked}
        FormAnswers.objects.create(assignment=turn, answers=answers)
    Arrival.objects.create(
        assignment=turn,
        crowd=crowd,
        external_id=external_id,
        return_to=return_to,
        origin=origin if is_strange else "",
    )
    return turn


def origins_forget(*, now: dt.datetime) -> None:
    """Where people came from is kept only for as long as it limits claims."""
    old = Arrival.objects.exclude(origin="").filter(assignment__claimed_at__lt=now - lease())
    old.update(origin="")
