"""A campaign's videos: posters, one video with every caption of it, and the files themselves."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from daplatform.media import allow_media, stored_file
from hits import selectors
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign

VIDEOS_PER_PAGE = 48


@require_safe
@for_campaign()
def video_list(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    search = search_wanted(request)
    videos = selectors.campaign_videos(campaign, search)
    page = Paginator(videos, VIDEOS_PER_PAGE).get_page(request.GET.get("page"))
    context = {"campaign": campaign, "page": page, "search": search}
    return render(request, "hits/video_list.html", context)


def search_wanted(request: MemberRequest) -> str:
    return request.GET.get("q", "").strip()


@require_safe
@for_campaign()
def video_detail(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    video = get_object_or_404(campaign.videos, pk=pk)
    before, after = selectors.neighbours(campaign.videos.all(), "name", video.name)
    context = {
        "campaign": campaign,
        "video": video,
        "captions": selectors.video_captions(video),
        "before": before,
        "after": after,
    }
    page = render(request, "hits/video_detail.html", context)
    return allow_media(request, page, [video.url]) if video.url else page


@require_safe
@for_campaign()
def video_file(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    video = get_object_or_404(campaign.videos, pk=pk)
    return stored_file(request, video.file, digest=video.sha256)


@require_safe
@for_campaign()
def video_poster(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    return stored_file(request, get_object_or_404(campaign.videos, pk=pk).poster)
