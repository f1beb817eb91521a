"""Factuality: how much of what systems say is wrong, and how far people agree about it."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_safe

from analysis.results.marked import annotated
from analysis.results.phrases import CATEGORIES
from analysis.selectors.annotators import annotator_turns, campaign_annotators
from analysis.selectors.marked import answered_videos, factuality_of, judged_paragraphs
from analysis.services.phrases import phrases_categorise
from annotations.models import Annotator
from crowds.selectors.reviews import sending_back_obstacle
from crowds.services.reviews import video_send_back
from daplatform.errors import DomainError
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign, require

PHRASES_SHOWN = 100
VIDEOS_PER_PAGE = 10


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign()
def factuality(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """Errors by level and by system, agreement, and what was marked more than once.

    What kind of error that is, people decide here.
    """
    found = factuality_of(campaign)
    if request.method == "POST":
        require(request.user, "hits.change_campaign")
        listed = {each.text for each in found.phrases}
        asked = zip(request.POST.getlist("phrase"), request.POST.getlist("category"), strict=False)
        given = {phrase: category for phrase, category in asked if phrase in listed}
        count = phrases_categorise(campaign=campaign, given=given, by=request.user)
        messages.success(request, f"Categories changed: {count}.")
        return redirect("analysis:factuality", campaign.slug)
    context = vars(found) | {
        "campaign": campaign,
        "phrases": found.phrases[:PHRASES_SHOWN],
        "categories": CATEGORIES,
        "videos": campaign.videos.count(),
    }
    return render(request, "analysis/factuality.html", context)


class SendBackForm(forms.Form):
    """One person's video, and what is to be looked at again."""

    assignment = forms.IntegerField(min_value=1, max_value=2**63 - 1)
    video = forms.IntegerField(min_value=1, max_value=2**63 - 1)
    remark = forms.CharField(max_length=500)


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign()
def factuality_person(
    request: MemberRequest, campaign: Campaign, pseudonym: str
) -> HttpResponseBase:
    """What one person marked, video by video; a video can be sent back with a remark."""
    if request.method == "POST":
        require(request.user, "hits.change_campaign")
    annotator = get_object_or_404(campaign_annotators(campaign), pseudonym=pseudonym)
    if request.method == "POST":
        _send_back(request, campaign, annotator)
        return redirect(request.get_full_path())
    videos = answered_videos(campaign, annotator)
    turns = annotator_turns(campaign, annotator).select_related("campaign", "arrival")
    obstacles = {turn.pk: sending_back_obstacle(turn) for turn in turns}
    context = {
        "campaign": campaign,
        "annotator": annotator,
        "page": Paginator(videos, VIDEOS_PER_PAGE).get_page(request.GET.get("page")),
        "sendable": {pk for pk, obstacle in obstacles.items() if not obstacle},
        "obstacle": next(filter(None, obstacles.values()), ""),
    }
    return render(request, "analysis/factuality_person.html", context)


def _send_back(request: MemberRequest, campaign: Campaign, annotator: Annotator) -> None:
    form = SendBackForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Say in at most 500 characters what they should look at again.")
        return
    asked = form.cleaned_data
    turn = get_object_or_404(annotator_turns(campaign, annotator), pk=asked["assignment"])
    shown = campaign.videos.filter(captions__items__hit=turn.hit_id).distinct()
    video = get_object_or_404(shown, pk=asked["video"])
    try:
        video_send_back(assignment=turn, video=video, remark=asked["remark"], by=request.user)
    except DomainError as error:
        messages.error(request, str(error))
        return
    messages.success(
        request,
        f"{video.name} was sent back. {annotator} will see it when they open their link again.",
    )


@require_safe
@for_campaign()
def factuality_file(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """The annotation in the form its authors publish, as `analyse` reads it."""
    judged = judged_paragraphs(campaign)
    if not judged:
        raise Http404("Nobody has marked anything yet.")
    content = annotated(judged, campaign.asked.scale)
    answer = JsonResponse(content, json_dumps_params={"ensure_ascii": False, "indent": 1})
    name = f"{campaign.slug}-factuality_annotation.json"
    answer["Content-Disposition"] = content_disposition_header(True, name) or ""
    return answer
