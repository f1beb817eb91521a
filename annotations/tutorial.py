"""A campaign's own captions for practice, at positions below 0, and what is said of answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.templatetags.static import static
from django.utils.translation import gettext as _

from annotations.errors import InvalidPost
from annotations.samples import CLIP, marked_in
from hits.models import Campaign, Video
from hits.protocols.expected import missed


@dataclass(frozen=True)
class Lesson:
    """One caption of a tutorial; its video is named, or is the clip for practice."""

    position: int
    page: range
    video: str
    caption: str
    expect: Mapping[str, Any]
    feedback: str


@dataclass(frozen=True)
class Verdict:
    """Whether the answers about a caption are as expected, and what is said of it."""

    position: int
    fits: bool
    feedback: str


def lessons(campaign: Campaign) -> list[Lesson]:
    """The tutorial in order. Captions of one video stand together where pages show whole videos."""
    tables = list(enumerate(campaign.tutorial, start=-len(campaign.tutorial)))
    together = campaign.asked.whole_video
    pages = groupby(tables, lambda each: each[1].get("video") if together else each[0])
    return [
        Lesson(
            position,
            range(page[0][0], page[-1][0] + 1),
            table.get("video", ""),
            table["caption"],
            table["expect"],
            table["feedback"],
        )
        for _, found in pages
        for page in [list(found)]
        for position, table in page
    ]


def tutorial_videos(campaign: Campaign) -> dict[str, Video]:
    """By name."""
    names = {lesson.video for lesson in lessons(campaign)}
    return {video.name: video for video in campaign.videos.filter(name__in=names)}


def tutorial_items(
    campaign: Campaign, address: Callable[[int, Video], str], *, tells: bool = False
) -> list[dict[str, Any]]:
    """What the page shows. ``address`` is of a page's video, by its first position.

    With ``tells`` the feedback is there from the start: a preview has nobody to ask.
    """
    videos = tutorial_videos(campaign)
    return [
        {
            "position": lesson.position,
            "page": [lesson.page.start, lesson.page.stop],
            "text": lesson.caption,
            **marked_in(campaign.asked, lesson.caption),
            "media": address(lesson.page.start, video) if video else static(CLIP),
            "isImage": bool(video and video.is_image),
            "answer": None,
            **({"feedback": lesson.feedback} if tells else {}),
        }
        for lesson in lessons(campaign)
        for video in [videos.get(lesson.video)]
    ]


def verdicts(campaign: Campaign, answers: Mapping[str, Mapping[str, Any]]) -> list[Verdict]:
    """What is said of the answers, by position; those that are none are refused."""
    known = {str(lesson.position): lesson for lesson in lessons(campaign)}
    found = []
    for position, given in answers.items():
        if position not in known:
            raise InvalidPost(_("This caption does not belong to your task."))
        lesson = known[position]
        if objection := campaign.asked.objection(given, lesson.caption):
            raise InvalidPost(_(objection.sentence).format(**objection.values))
        wrong = missed(campaign.asked, lesson.expect, given, lesson.caption)
        found.append(Verdict(lesson.position, not wrong, lesson.feedback))
    return found
