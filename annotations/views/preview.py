"""The rating page to look around in: it holds no turn, so there is nothing it could save."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotations.samples import samples
from annotations.views.rating_page import rating_page
from daplatform.media import allow_media
from hits.models import Campaign, Hit, HitItem
from hits.views.access import MemberRequest, for_campaign

SHOWN = 5


def preview_page(
    request: HttpRequest, campaign: Campaign, items: list[dict[str, Any]] | None = None
) -> HttpResponse:
    """What a marketplace shows to people who have not taken the task: sample captions."""
    items = samples() if items is None else items
    work = {"preview": True, "name": "preview", "done": 0, "total": len(items), "items": items}
    return rating_page(request, campaign, work | {"token": "", "endpoints": {}})


@require_safe
@for_campaign()
def hit_preview(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    """What annotators will see, with the first captions of a HIT, for its organiser."""
    hit = get_object_or_404(Hit, pk=pk, batch__campaign=campaign)
    rows = hit.items.select_related("caption__video").order_by("position")[:SHOWN]
    response = preview_page(request, campaign, [_sample(campaign, row) for row in rows])
    return allow_media(request, response, [row.caption.video.url for row in rows])


def _sample(campaign: Campaign, row: HitItem) -> dict[str, Any]:
    video = row.caption.video
    media = video.url or reverse("hits:video-file", args=[campaign.slug, video.pk])
    return {"position": row.position, "text": row.text, "media": media, "answer": None}
