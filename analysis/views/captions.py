"""Captions with their scores: all of them, and those of one video beside the video."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpResponseBadRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from analysis.forms import CaptionsForm
from analysis.presenting.exports import records
from analysis.presenting.listings import as_table
from analysis.selectors.captions import captions_listed, video_scored
from analysis.selectors.metric_scores import metric_sources
from analysis.selectors.results import missing_ranking
from analysis.views.latest import checked, latest_result, news
from annotations.services.ratings import problems_settle
from daplatform.media import allow_media
from daplatform.wording import counted
from hits import selectors
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign

PER_PAGE = 50


@require_safe
@for_campaign()
def caption_list(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    latest = latest_result(request, campaign)
    if request.htmx:
        return news(request, latest)
    form = captions_form(request, campaign)
    context = latest.context | {"form": form, "sort": form.cleaned_data["sort"] or "-z"}
    if latest.listed:
        listed = captions_listed(latest.listed, **filters(form))
        page = Paginator(listed, PER_PAGE).get_page(request.GET.get("page"))
        context |= {"page": page, "rows": records(as_table(page.object_list))}
        if not page.paginator.count:
            context["missing"] = missing_ranking(latest.listed)
    return render(request, "analysis/captions.html", context)


@require_safe
@for_campaign()
def video_scores(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    """A video beside what every system says of it, and how good people and metrics find that."""
    video = get_object_or_404(campaign.videos, pk=pk)
    latest = latest_result(request, campaign)
    if request.htmx:
        return news(request, latest)
    before, after = selectors.neighbours(campaign.videos.all(), "name", video.name)
    sources = metric_sources(campaign)
    problems = video.problems.select_related("assignment__annotator").order_by(
        F("settled_at").asc(nulls_first=True), "-pk"
    )
    context = latest.context | {
        "video": video,
        "captions": video_scored(video, latest.listed, sources),
        "metrics": list(sources),
        "problems": problems,
        "newest_problem": max((each.pk for each in problems if not each.settled_at), default=None),
        "before": before,
        "after": after,
    }
    page = render(request, "analysis/video_scores.html", context)
    return allow_media(request, page, [video.url]) if video.url else page


@require_POST
@for_campaign("hits.change_campaign")
def video_settle(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    """The problems with a video that annotators reported, as far as this page showed them."""
    video = get_object_or_404(campaign.videos, pk=pk)
    newest = request.POST.get("newest", "")
    if not (newest.isdecimal() and newest.isascii() and len(newest) < 19):
        return HttpResponseBadRequest()
    if count := problems_settle(video=video, newest=int(newest)):
        messages.success(request, f"{counted(count, 'report', 'reports')} settled.")
    return redirect("analysis:video-scores", campaign.slug, pk)


def captions_form(request: MemberRequest, campaign: Campaign) -> CaptionsForm:
    names = campaign.systems.order_by("name").values_list("name", flat=True)
    return checked(CaptionsForm(request.GET, systems=names))


def filters(form: CaptionsForm) -> dict[str, str]:
    chosen = form.cleaned_data
    return {"search": chosen["q"], "system": chosen["system"], "sort": chosen["sort"]}
