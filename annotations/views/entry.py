"""The way in: who comes, what they are asked to agree to, and the work they get."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotations.crowds import Visitor, crowd_named, is_preview, read_visitor
from annotations.errors import LinkRefused, NothingToTake
from annotations.models import Annotator, Assignment
from annotations.selectors.entry import (
    annotator_known,
    assignment_earlier,
    claim_obstacle,
    entry_campaign,
    entry_invitation,
    work_estimate,
)
from annotations.selectors.work import turn_of
from annotations.services.visits import visit_claim
from annotations.tokens import Entry, entry_read, turn_sign
from annotations.views.guards import page
from annotations.views.preview import preview_page
from daplatform.throttling import origin_of
from hits.models import Campaign


@dataclass(frozen=True)
class Arriving:
    """Somebody at the door."""

    entry: Entry
    campaign: Campaign
    visitor: Visitor
    annotator: Annotator | None


@require_http_methods(["GET", "HEAD", "POST"])
@page
def enter(request: HttpRequest, token: str) -> HttpResponseBase:
    """Looking changes nothing, for mail programs open links too; pressing Start takes the work."""
    entry = entry_read(token)
    campaign = entry_campaign(entry)
    if is_preview(crowd_named(entry.crowd), request.GET):
        return preview_page(request, campaign)
    arriving = _arriving(request, entry, campaign)
    if request.method == "POST":
        consents = request.POST.get("consent") == "yes"
        turn = visit_claim(**vars(arriving), origin=origin_of(request), consents=consents)
        return _to_work(turn)
    return _welcome(request, arriving)


def _arriving(request: HttpRequest, entry: Entry, campaign: Campaign) -> Arriving:
    if entry.invitation is not None:
        invited = entry_invitation(entry).annotator
        return Arriving(entry, campaign, Visitor("", "", entry.return_to), invited)
    crowd = crowd_named(entry.crowd)
    if not crowd.person:
        raise LinkRefused("This link is for nobody in particular. Ask for one of your own.")
    visitor = read_visitor(
        crowd,
        request.GET,
        return_to=entry.return_to,
        submit_origins=settings.MTURK_SUBMIT_ORIGINS,
    )
    known = annotator_known(crowd=crowd.name, external_id=visitor.person)
    return Arriving(entry, campaign, visitor, known)


def _welcome(request: HttpRequest, arriving: Arriving) -> HttpResponseBase:
    campaign, entry = arriving.campaign, arriving.entry
    if arriving.annotator is not None:
        earlier = assignment_earlier(
            campaign=campaign,
            annotator=arriving.annotator,
            hit=entry.hit,
            crowd=entry.crowd,
            external_id=arriving.visitor.turn,
        )
        if earlier is not None:
            return _to_work(earlier)
    if sentence := claim_obstacle(
        campaign=campaign, annotator=arriving.annotator, hit=entry.hit, crowd=entry.crowd
    ):
        raise NothingToTake(sentence)
    context = {"campaign": campaign, "estimate": work_estimate(campaign)}
    response = render(request, "annotations/enter.html", context)
    # The form's origin is checked, and under "no-referrer" a browser would not tell it.
    response["Referrer-Policy"] = "same-origin"
    return response


def _to_work(assignment: Assignment) -> HttpResponseBase:
    return redirect("annotations:rate", turn_sign(turn_of(assignment)))
