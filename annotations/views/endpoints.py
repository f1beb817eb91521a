"""What the rating page's script talks to. Every answer is JSON."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotations.errors import UnknownItem, WorkClosed
from annotations.posts import RatingPost, SubmissionPost, read_post
from annotations.selectors.work import LOOKAHEAD, assignment_of, closed_sentence, rated_count
from annotations.services.assignments import assignment_return, assignment_submit
from annotations.services.ratings import rating_submit
from annotations.tokens import Turn, turn_sign
from annotations.views.guards import endpoint
from annotations.views.payloads import item_payload, items_payload, work_payload

MAX_DIGITS = 6


@require_POST
@endpoint
def rating_create(request: HttpRequest, turn: Turn) -> HttpResponseBase:
    """Save a rating and hand out the item that may be fetched now."""
    saved = rating_submit(turn=turn, post=read_post(RatingPost, request.body))
    upcoming = saved.done + LOOKAHEAD
    return JsonResponse(
        {
            "position": saved.position,
            "revision": saved.revision,
            "done": saved.done,
            "items": items_payload(turn, upcoming, upcoming),
        }
    )


@require_GET
@endpoint
def work_detail(request: HttpRequest, turn: Turn) -> HttpResponseBase:
    """Where the work stands: for a reload, another tab or another device."""
    assignment = assignment_of(turn)
    if sentence := closed_sentence(assignment, timezone.now()):
        raise WorkClosed(sentence)
    return JsonResponse(work_payload(turn, assignment))


@require_GET
@endpoint
def item_detail(request: HttpRequest, turn: Turn) -> HttpResponseBase:
    """One item, to look at again or because it was lost on its way."""
    wanted = request.GET.get("position", "")
    released = rated_count(turn.assignment) + LOOKAHEAD
    if not (wanted.isdecimal() and len(wanted) < MAX_DIGITS) or int(wanted) > released:
        raise UnknownItem("This caption is not to be rated yet.")
    return JsonResponse({"items": item_payload(turn, int(wanted))})


@require_POST
@endpoint
def assignment_finish(request: HttpRequest, turn: Turn) -> HttpResponseBase:
    """Hand the work in."""
    assignment_submit(turn=turn, comment=read_post(SubmissionPost, request.body).comment)
    return JsonResponse({"next": reverse("annotations:done", args=[turn_sign(turn)])})


@require_POST
@endpoint
def assignment_give_back(request: HttpRequest, turn: Turn) -> HttpResponseBase:
    """Stop here and let somebody else have the HIT."""
    assignment_return(turn=turn)
    return JsonResponse({"next": reverse("annotations:rate", args=[turn_sign(turn)])})
