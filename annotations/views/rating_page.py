"""The rating page, which work and previews share, and the sentences that its script says."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotations.errors import WorkClosed
from annotations.language import speak
from annotations.models import Assignment, VideoProblem
from annotations.samples import practice
from annotations.selectors.work import (
    assignment_of,
    closed_sentence,
    hit_media_urls,
    is_experienced,
)
from annotations.tokens import session_read
from annotations.tutorial import tutorial_items, tutorial_videos
from annotations.views.guards import page
from annotations.views.payloads import media_address, work_payload
from daplatform.media import allow_media
from hits.models import Campaign
from hits.protocols import AnnotationProtocol

WORDS: Final[dict[str, Promise]] = {
    "saved": _("Saved"),
    "saving": _("Saving…"),
    "offline": _("Offline: your work is kept here"),
    "fragile": _("Offline: keep this page open"),
    "practice": _("Practice"),
    "progress": _("{number} of {total}"),
    "progress-several": _("{number}–{last} of {total}"),
    "quarter": _("A quarter is done"),
    "half": _("Half is done"),
    "three-quarters": _("Three quarters are done"),
    "due": _("due in {time}"),
    "due-soon": _("due in under a minute"),
    "hours": _("{hours} h {minutes} min"),
    "minutes": _("{minutes} min"),
    "value": _("{value} of {high}"),
    "unrated": _("Not rated yet"),
    "start": _("Start rating"),
    "next": _("Next"),
    "done": _("Done"),
    "check": _("Check"),
    "fits": _("Right."),
    "fits-not": _("Not quite."),
    "check-again": _("Change your answers and check them again."),
    "caption-number": _("Caption {number} of {total}."),
    "caption-numbers": _("Captions {number} to {last} of {total}."),
    "caption-said": _("Caption: {text}"),
    "watch-first": _("The caption appears when you have watched the video to its end."),
    "skipped": _(
        "You skipped a part of the video. Watch it from the start, and the caption appears."
    ),
    "touch-first": _("Touch the scale to place your rating first."),
    "rate-all": _("Rate every caption of this video first."),
    "marked-yet-best": _(
        "You marked words as wrong and chose the highest level. Change one of the two, or press "
        "Next again."
    ),
    "unmarked-yet-worse": _(
        "You chose a lower level and marked nothing. Mark what is wrong, or press Next again."
    ),
    "missing-word": _("[missing]"),
    "further-elsewhere": _("You have continued rating in another window."),
    "ended": _("This task has ended"),
    "wrong": _("Something went wrong"),
    "saving-last": _("Saving your last ratings…"),
    "no-connection-retry": _("No connection. Trying again…"),
    "no-connection": _("No connection. Try again in a moment."),
    "give-back": _("Give this task back? You will not be able to take it again."),
    "reported": _("Thank you. The organiser will see your report."),
    "copied": _("Copied"),
}
# Instead of these, where a page shows all captions of a video.
SEVERAL: Final[dict[str, Promise]] = {
    "watch-first": _("The captions appear when you have watched the video to its end."),
    "skipped": _(
        "You skipped a part of the video. Watch it from the start, and the captions appear."
    ),
}

# Where people write what happens in a video, and see no caption.
WRITING: Final[dict[str, Promise]] = {
    "caption-number": _("Video {number} of {total}."),
    "caption-said": _("Describe the video in one sentence."),
    "watch-first": _("You can write when you have watched the video to its end."),
    "skipped": _("You skipped a part of the video. Watch it from the start, and you can write."),
    "touch-first": _("Write a sentence first."),
    "further-elsewhere": _("You have continued writing in another window."),
    "saving-last": _("Saving your last sentences…"),
    "start": _("Start writing"),
}


def words_for(protocol: AnnotationProtocol) -> dict[str, Promise]:
    if protocol.writes:
        return WORDS | WRITING
    return WORDS | SEVERAL if protocol.whole_video else WORDS


MODULES = ("api", "entries", "player", "saver", "tabs", "view", "words")


def rating_page(request: HttpRequest, campaign: Campaign, work: dict[str, Any]) -> HttpResponse:
    """The page, with `work` as its script wants it and the campaign's own wishes added."""
    texts, protocol = speak(campaign), campaign.asked
    words = words_for(protocol)
    work |= {
        "mustWatch": campaign.must_watch,
        "showsNumber": campaign.shows_number,
        "tutorial": bool(work.get("practice")),
        "practice": work.get("practice") or practice(protocol),
    }
    context = {
        "campaign": campaign,
        "texts": texts,
        "protocol": protocol,
        "words": words,
        "watch_first": words["watch-first"],
        "problems": VideoProblem.Kind.choices,
        "work": work,
        "shows_images": bool(work["items"]) and all(item.get("isImage") for item in work["items"]),
        "total": work["total"],
        "modules": [static(f"js/rating-{name}.js") for name in MODULES]
        + [
            static(f"js/questions/{kind}.js") for kind in {each.kind for each in protocol.questions}
        ],
    }
    return render(request, protocol.template, context)


ENDPOINTS = (
    "rating-create",
    "work-detail",
    "item-detail",
    "problem-create",
    "tutorial-check",
    "assignment-finish",
    "assignment-return",
)


@require_safe
@page
def rate(request: HttpRequest, token: str) -> HttpResponseBase:
    """Watch, read, rate: wherever the work was left."""
    session = session_read(token)
    assignment = assignment_of(session)
    if sentence := closed_sentence(assignment, timezone.now()):
        if assignment.state in Assignment.FINISHED:
            return redirect("crowds:done", token)
        raise WorkClosed(sentence)
    work: dict[str, Any] = {"token": token, "name": str(session.assignment)}
    work["endpoints"] = _endpoints()
    work |= work_payload(session, assignment) | {"experienced": is_experienced(assignment)}
    campaign = assignment.campaign
    work["practice"] = tutorial_items(campaign, partial(media_address, session.assignment))
    response = rating_page(request, campaign, work)
    shown = [video.url for video in tutorial_videos(campaign).values()]
    return allow_media(request, response, [*hit_media_urls(session.hit), *shown])


def _endpoints() -> dict[str, str]:
    return {name: reverse(f"annotations:{name}") for name in ENDPOINTS}
