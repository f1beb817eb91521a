"""What the rating page's script talks to. Every answer is JSON, but for the videos."""

from __future__ import annotations

from dataclasses import asdict

from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST, require_safe

from annotations.errors import UnknownItem, WorkClosed
from annotations.models import Assignment
from annotations.posts import (
    AnswerPost,
    ProblemPost,
    RatingPost,
    SubmissionPost,
    TutorialPost,
    read_post,
)
from annotations.selectors.work import (
    asked_in,
    assignment_of,
    closed_sentence,
    item_video,
    page_after,
    page_at,
    rated_count,
    sent_back,
)
from annotations.services.assignments import assignment_return, assignment_submit
from annotations.services.ratings import problem_report, rating_submit
from annotations.services.tutorials import tutorial_answer
from annotations.tokens import RatingSession, media_position, session_sign
from annotations.tutorial import lessons
from annotations.views.guards import endpoint, explained
from annotations.views.payloads import page_payload, work_payload
from daplatform.media import is_small_screen, stored_file
from hits.models import HitItem, Video
from hits.selectors.conversions import video_shown

MAX_DIGITS = 6


@require_POST
@endpoint
def rating_create(request: HttpRequest, session: RatingSession) -> HttpResponseBase:
    """Save a rating and hand out what may be fetched now: with a new page, the one after it."""
    kind: type[RatingPost | AnswerPost]
    kind = RatingPost if asked_in(session).asks_numbers else AnswerPost
    saved = rating_submit(session=session, post=read_post(kind, request.body))
    page = page_at(session, saved.done)
    upcoming = page_after(session, page) if page.start == saved.done else range(0)
    return JsonResponse(
        {
            "position": saved.position,
            "revision": saved.revision,
            "done": saved.done,
            "items": page_payload(session, upcoming),
        }
    )


@require_GET
@endpoint
def work_detail(request: HttpRequest, session: RatingSession) -> HttpResponseBase:
    """Where the work stands: for a reload, another tab or another device."""
    assignment = assignment_of(session)
    if sentence := closed_sentence(assignment, timezone.now()):
        raise WorkClosed(sentence)
    return JsonResponse(work_payload(session, assignment))


@require_GET
@endpoint
def item_detail(request: HttpRequest, session: RatingSession) -> HttpResponseBase:
    """The page of an item, to look at again or because it was lost on its way."""
    wanted = request.GET.get("position", "")
    released = page_after(session, page_at(session, rated_count(session.assignment)))
    if not (wanted.isdecimal() and len(wanted) < MAX_DIGITS) or int(wanted) >= released.stop:
        raise UnknownItem(_("It is not time to rate this caption yet."))
    page = page_at(session, int(wanted))
    return JsonResponse({"items": page_payload(session, page, is_new=False)})


@require_POST
@endpoint
def tutorial_check(request: HttpRequest, session: RatingSession) -> HttpResponseBase:
    """Say of each answer whether it is as expected, and why."""
    answers = read_post(TutorialPost, request.body).answers
    found = tutorial_answer(session=session, answers=answers)
    return JsonResponse({"verdicts": [asdict(each) for each in found]})


@require_POST
@endpoint
def problem_create(request: HttpRequest, session: RatingSession) -> HttpResponseBase:
    """Tell the organiser that a video does not play as it should."""
    problem_report(session=session, post=read_post(ProblemPost, request.body))
    return JsonResponse({})


@require_POST
@endpoint
def assignment_finish(request: HttpRequest, session: RatingSession) -> HttpResponseBase:
    """Hand the work in; what was sent back meanwhile is shown next."""
    post = read_post(SubmissionPost, request.body)
    assignment_submit(session=session, comment=post.comment, corrected=post.corrected)
    is_over = not sent_back(assignment_of(session))
    name = "crowds:done" if is_over else "annotations:rate"
    return JsonResponse({"next": reverse(name, args=[session_sign(session)])})


@require_POST
@endpoint
def assignment_give_back(request: HttpRequest, session: RatingSession) -> HttpResponseBase:
    """Stop here and let somebody else have the HIT."""
    assignment_return(session=session)
    return JsonResponse({"next": reverse("annotations:rate", args=[session_sign(session)])})


def _video_named(row: Assignment, name: str) -> Video:
    size = HitItem.objects.filter(hit=row.hit_id).count()
    found = lessons(row.campaign)
    position = media_position(name, assignment=row.pk, size=size, first=-len(found))
    if position >= 0:
        return item_video(hit_id=row.hit_id, position=position)
    return get_object_or_404(row.campaign.videos, name=found[position].video)


@require_safe
@explained
def media(request: HttpRequest, assignment: int, name: str) -> HttpResponseBase:
    """A part of the video, or the way to the bucket or site that has it.

    The name is the permission: nobody can guess it, and it is told when its item is due.
    """
    row = get_object_or_404(Assignment.objects.select_related("campaign"), pk=assignment)
    if sentence := closed_sentence(row, timezone.now()):
        raise WorkClosed(sentence)
    video = _video_named(row, name)
    if video.url:
        return HttpResponseRedirect(video.url)
    kind, file = video_shown(video, is_light=is_small_screen(request))
    # By kind: a copy that is ready in the middle of a download is another file.
    response = stored_file(request, file, digest=f"{name}{kind}")
    # Equal for every item with this video, unlike the entity tag made of the item's own name.
    response.headers.pop("Last-Modified", None)
    return response
