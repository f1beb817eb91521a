"""A campaign's videos: posters, one video with its captions and their correction, the files."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from daplatform.errors import DomainError
from daplatform.jobs.tasks import job_wake
from daplatform.media import allow_media, is_small_screen, stored_file
from hits import selectors
from hits.forms import CorrectionForm
from hits.models import Campaign, Caption
from hits.selectors.conversions import campaign_conversions, video_shown
from hits.services import importing
from hits.services.renditions import renditions_retry
from hits.views.access import MemberRequest, for_campaign

VIDEOS_PER_PAGE = 48


@require_safe
@for_campaign()
def video_list(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    search = search_wanted(request)
    videos = selectors.campaign_videos(campaign, search)
    page = Paginator(videos, VIDEOS_PER_PAGE).get_page(request.GET.get("page"))
    context = {"campaign": campaign, "page": page, "search": search}
    context["conversions"] = campaign_conversions(campaign)
    return render(request, "hits/video_list.html", context)


@require_safe
@for_campaign()
def video_conversions(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """How far they are, for pages that show it."""
    context = {"campaign": campaign, "conversions": campaign_conversions(campaign)}
    return render(request, "hits/_conversions.html", context)


@require_POST
@for_campaign("hits.change_campaign")
def video_convert(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """What could not be converted is tried once more."""
    try:
        for rendition in renditions_retry(campaign=campaign):
            job_wake(rendition)
    except DomainError as error:
        messages.error(request, str(error))
    return redirect("hits:video-list", campaign.slug)


def search_wanted(request: MemberRequest) -> str:
    return request.GET.get("q", "").strip()


@require_safe
@for_campaign()
def video_detail(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    video = get_object_or_404(campaign.videos.select_related("clip"), pk=pk)
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


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign("hits.change_campaign")
def caption_correct(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    """GET says what a correction does to HITs that are out, POST makes it."""
    captions = Caption.objects.filter(system__campaign=campaign, retired_at=None)
    caption = get_object_or_404(captions.select_related("system__campaign", "video"), pk=pk)
    form = CorrectionForm(request.POST or None, initial={"text": caption.text})
    if request.method == "POST" and form.is_valid():
        try:
            importing.caption_correct(caption=caption, text=form.cleaned_data["text"])
        except DomainError as error:
            form.add_error("text", str(error))
        else:
            messages.success(request, "The caption is corrected.")
            return redirect("hits:video-detail", campaign.slug, caption.video_id)
    context = {"campaign": campaign, "caption": caption, "form": form}
    context["hits"] = selectors.caption_hits(caption)
    status = 400 if form.errors else 200
    return render(request, "hits/caption_correct.html", context, status=status)


@require_safe
@for_campaign()
def video_file(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    video = get_object_or_404(campaign.videos, pk=pk)
    kind, file = video_shown(video, is_light=is_small_screen(request))
    return stored_file(request, file, digest=f"{video.sha256}{kind}")


@require_safe
@for_campaign()
def video_poster(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    return stored_file(request, get_object_or_404(campaign.videos, pk=pk).poster)
