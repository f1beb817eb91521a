"""The way in, what people are asked to agree to and the work they get; and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from annotations.errors import FormRefused, NothingToTake
from annotations.language import speak
from annotations.models import Annotator, Assignment
from annotations.selectors.work import assignment_of, session_of
from annotations.tokens import Entry, completion_code, entry_read, session_read, session_sign
from annotations.views.guards import page
from annotations.views.preview import preview_page
from crowds.models import Arrival
from crowds.registry import OWN, crowd_named
from crowds.selectors.entry import (
    annotator_known,
    assignment_earlier,
    claim_obstacle,
    codes_of,
    entry_campaign,
    form_asked,
    pay_of,
    work_estimate,
)
from crowds.services.visits import visit_claim
from crowds.visitors import Visitor
from daplatform.throttling import origin_of
from hits.models import Campaign

PRIVACY = gettext_lazy(
    "Your ratings are stored under a pseudonym. Until you start, nothing about you is stored."
)
INVITED_PRIVACY = gettext_lazy(
    "Your ratings are stored under a pseudonym. The person who invited you can tell that they "
    "are yours until the study’s names are erased."
)


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
    speak(campaign)
    if crowd_named(entry.crowd).is_preview(request.GET):
        return preview_page(request, campaign)
    arriving = _arriving(request, entry, campaign)
    if request.method == "POST":
        consents = request.POST.get("consent") == "yes"
        form = {name[5:]: str(text) for name, text in request.POST.items() if name[:5] == "form-"}
        try:
            turn = visit_claim(
                **vars(arriving), origin=origin_of(request), consents=consents, form=form
            )
        except FormRefused as refusal:
            return _welcome(request, arriving, given=form, refusal=str(refusal))
        return _to_work(turn)
    return _welcome(request, arriving)


def _arriving(request: HttpRequest, entry: Entry, campaign: Campaign) -> Arriving:
    visitor = crowd_named(entry.crowd).visitor(entry, request.GET)
    known = visitor.annotator or annotator_known(crowd=entry.crowd, external_id=visitor.person)
    return Arriving(entry, campaign, visitor, known)


def _welcome(
    request: HttpRequest,
    arriving: Arriving,
    *,
    given: Mapping[str, str] | None = None,
    refusal: str = "",
) -> HttpResponseBase:
    """What they are asked before they start; after a refusal, with what they had answered."""
    campaign, entry = arriving.campaign, arriving.entry
    if arriving.annotator is not None:
        earlier = assignment_earlier(
            campaign=campaign,
            annotator=arriving.annotator,
            hit=entry.hit,
            crowd=entry.crowd,
            external_id=arriving.visitor.external_id,
        )
        if earlier is not None:
            return _to_work(earlier)
    if sentence := claim_obstacle(
        campaign=campaign, annotator=arriving.annotator, hit=entry.hit, crowd=entry.crowd
    ):
        return _nothing_to_take(request, arriving, sentence)
    context = {
        "campaign": campaign,
        "texts": speak(campaign),
        "estimate": work_estimate(campaign),
        "pay": pay_of(entry),
        "form": [
            asked | {"given": (given or {}).get(asked["name"], "")}
            for asked in form_asked(campaign, arriving.annotator)
        ],
        "refusal": refusal,
        "privacy": PRIVACY if crowd_named(entry.crowd).is_marketplace else INVITED_PRIVACY,
    }
    response = render(request, "crowds/enter.html", context, status=400 if refusal else 200)
    # The form's origin is checked, and under "no-referrer" a browser would not tell it.
    response["Referrer-Policy"] = "same-origin"
    return response


def _nothing_to_take(request: HttpRequest, arriving: Arriving, sentence: str) -> HttpResponseBase:
    """Whoever was invited and has handed in finds the completion codes again."""
    if crowd_named(arriving.entry.crowd).is_marketplace or arriving.annotator is None:
        raise NothingToTake(sentence)
    codes = codes_of(campaign=arriving.campaign, annotator=arriving.annotator)
    context = {"sentence": sentence, "codes": codes}
    return render(request, "annotations/refusal.html", context, status=409)


def _to_work(assignment: Assignment) -> HttpResponseBase:
    return redirect("annotations:rate", session_sign(session_of(assignment)))


@require_safe
@page
def done(request: HttpRequest, token: str) -> HttpResponseBase:
    """Thanks, and the way back to where the annotator came from."""
    turn = session_read(token)
    assignment = assignment_of(turn)
    if assignment.state not in Assignment.FINISHED:
        return redirect("annotations:rate", token)
    speak(assignment.campaign)
    arrival = Arrival.objects.filter(assignment=assignment).first()
    code = completion_code(turn.assignment)
    crowd = crowd_named(arrival.crowd if arrival else OWN)
    context = {
        "campaign": assignment.campaign,
        "arrival": arrival,
        "posts_form": crowd.ends_with_form,
        "code": code,
        "codes": [code],
        "more": crowd.next_link(assignment),
    }
    return render(request, "crowds/done.html", context)
