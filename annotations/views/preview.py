"""The rating page to look around in: it holds no turn, so there is nothing it could save."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotations.language import spoken
from annotations.samples import marked_in, samples
from annotations.tutorial import tutorial_items, tutorial_videos
from annotations.views.rating_page import rating_page
from daplatform.media import allow_media
from hits.models import Campaign, Caption, Clip, Hit, System, Video
from hits.protocols.filling import FilledMark
from hits.selectors.filling import filled_shown
from hits.views.access import MemberRequest, for_campaign

SHOWN = 5  # of a campaign that has no HITs yet


def preview_page(
    request: HttpRequest,
    campaign: Campaign,
    items: list[dict[str, Any]] | None = None,
    tutorial: list[dict[str, Any]] | None = None,
) -> HttpResponse:
    """What a marketplace shows to people who have not taken the task: sample captions.

    Nobody who only looks may see the campaign's videos, so the practice is the platform's own.
    """
    items = samples(campaign.asked) if items is None else items
    work = {"preview": True, "name": "preview", "done": 0, "total": len(items), "items": items}
    work |= {"practice": tutorial}
    return rating_page(request, campaign, work | {"token": "", "endpoints": {}})


@require_safe
@for_campaign()
def hit_preview(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    """A HIT as annotators will see it, to be rated through by its organiser; no row is written."""
    hit = get_object_or_404(Hit, pk=pk, batch__campaign=campaign)
    with spoken(request):
        return trial_page(request, campaign, hit)


def trial_page(request: HttpRequest, campaign: Campaign, hit: Hit | None) -> HttpResponseBase:
    """All captions of a HIT or, before there is one, some of the campaign's, with nothing saved."""
    shown = _of_hit(hit) if hit else _of_campaign(campaign)
    items = [_sample(campaign, place, shown) for place in range(len(shown))]
    tutorial = tutorial_items(campaign, lambda _, video: _address(campaign, video), tells=True)
    response = preview_page(request, campaign, items or None, tutorial)
    videos = [*(video for video, *_ in shown), *tutorial_videos(campaign).values()]
    return allow_media(request, response, [video.url for video in videos])


def _address(campaign: Campaign, video: Video) -> str:
    return video.url or reverse("hits:video-file", args=[campaign.slug, video.pk])


Shown = tuple[Video, str, list[FilledMark] | None]


def _of_hit(hit: Hit) -> list[Shown]:
    rows = hit.items.select_related("caption__video__clip").order_by("position")
    return [
        (
            row.caption.video,
            row.text,
            filled_shown(row.caption.filled, row.caption.text, row.degraded_text),
        )
        for row in rows
    ]


def _of_campaign(campaign: Campaign) -> list[Shown]:
    ranked = Caption.objects.filter(retired_at=None, system__campaign=campaign)
    ranked = ranked.exclude(system__role=System.Role.REFERENCE).select_related("video__clip")
    return [(row.video, row.text, row.filled) for row in ranked.order_by("video", "pk")[:SHOWN]]


def _sample(campaign: Campaign, position: int, shown: list[Shown]) -> dict[str, Any]:
    video, text, filled = shown[position]
    together = [place for place, (other, *_) in enumerate(shown) if other == video]
    page = [together[0], together[-1] + 1] if campaign.asked.whole_video else None
    clip: Clip | None = getattr(video, "clip", None)
    return {
        "position": position,
        "page": page or [position, position + 1],
        "text": "" if campaign.asked.writes else text,
        **marked_in(campaign.asked, text),
        "media": _address(campaign, video),
        "isImage": video.is_image,
        "answer": None,
        "filled": filled,
        **({"clip": (clip.start, clip.end)} if clip else {}),
    }
