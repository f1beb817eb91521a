"""The rating page itself, and the page after the last caption."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.addresses import entry_path, invitation_entry
from annotations.crowds import crowd_named
from annotations.errors import WorkClosed
from annotations.models import Arrival, Assignment
from annotations.selectors.entry import claim_obstacle, invitation_of
from annotations.selectors.work import (
    assignment_of,
    closed_sentence,
    hit_media_urls,
    is_experienced,
)
from annotations.tokens import completion_code, turn_read
from annotations.views.guards import page
from annotations.views.payloads import work_payload
from annotations.views.rating_page import rating_page
from daplatform.media import allow_media

ENDPOINTS = (
    "rating-create",
    "work-detail",
    "item-detail",
    "assignment-finish",
    "assignment-return",
)


@require_safe
@page
def rate(request: HttpRequest, token: str) -> HttpResponseBase:
    """Watch, read, rate: wherever the work was left."""
    turn = turn_read(token)
    assignment = assignment_of(turn)
    if assignment.state in Assignment.FINISHED:
        return redirect("annotations:done", token)
    if sentence := closed_sentence(assignment, timezone.now()):
        raise WorkClosed(sentence)
    work = {"token": token, "name": str(turn.assignment), "endpoints": _endpoints()}
    work |= work_payload(turn, assignment) | {"experienced": is_experienced(assignment)}
    response = rating_page(request, assignment.campaign, work)
    return allow_media(request, response, hit_media_urls(turn.hit))


@require_safe
@page
def done(request: HttpRequest, token: str) -> HttpResponseBase:
    """Thanks, and the way back to where the annotator came from."""
    turn = turn_read(token)
    assignment = assignment_of(turn)
    if assignment.state not in Assignment.FINISHED:
        return redirect("annotations:rate", token)
    arrival = Arrival.objects.filter(assignment=assignment).first()
    context = {
        "campaign": assignment.campaign,
        "arrival": arrival,
        "posts_form": arrival is not None and crowd_named(arrival.crowd).ends_with_form,
        "code": completion_code(turn.assignment),
        "more": _more(assignment),
    }
    return render(request, "annotations/done.html", context)


def _endpoints() -> dict[str, str]:
    return {name: reverse(f"annotations:{name}") for name in ENDPOINTS}


def _more(assignment: Assignment) -> str:
    """The invited person's own link, while there is something left for them to rate."""
    invitation = invitation_of(assignment)
    if invitation is None or claim_obstacle(
        campaign=assignment.campaign, annotator=invitation.annotator
    ):
        return ""
    return entry_path(invitation_entry(invitation))
