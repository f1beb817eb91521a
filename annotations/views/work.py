"""The rating page itself."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.errors import WorkClosed
from annotations.models import Assignment
from annotations.selectors.work import (
    assignment_of,
    closed_sentence,
    hit_media_urls,
    is_experienced,
)
from annotations.tokens import session_read
from annotations.views.guards import page
from annotations.views.payloads import work_payload
from annotations.views.rating_page import rating_page
from daplatform.media import allow_media

ENDPOINTS = (
    "rating-create",
    "work-detail",
    "item-detail",
    "problem-create",
    "assignment-finish",
    "assignment-return",
)


@require_safe
@page
def rate(request: HttpRequest, token: str) -> HttpResponseBase:
    """Watch, read, rate: wherever the work was left."""
    session = session_read(token)
    assignment = assignment_of(session)
    if assignment.state in Assignment.FINISHED:
        return redirect("crowds:done", token)
    if sentence := closed_sentence(assignment, timezone.now()):
        raise WorkClosed(sentence)
    work = {"token": token, "name": str(session.assignment), "endpoints": _endpoints()}
    work |= work_payload(session, assignment) | {"experienced": is_experienced(assignment)}
    response = rating_page(request, assignment.campaign, work)
    return allow_media(request, response, hit_media_urls(session.hit))


def _endpoints() -> dict[str, str]:
    return {name: reverse(f"annotations:{name}") for name in ENDPOINTS}
