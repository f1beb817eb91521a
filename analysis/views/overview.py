"""How campaigns stand: in the list of them, and in the block that follows one that is live."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from analysis.results.settings import Settings
from analysis.selectors.overview import campaign_overview
from analysis.selectors.progress import campaigns_turns, hits_turns
from analysis.services.requests import result_key, result_renew
from annotations.selectors.rated import campaigns_rated
from crowds.selectors.counting import uses_everybody
from daplatform.jobs.tasks import job_wake
from daplatform.row_keys import row_key
from hits.models import Campaign
from hits.views.access import MemberRequest, campaigns_for, for_campaign, for_member


@require_safe
@for_campaign()
def overview(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """The block; nothing (204) for a page that shows it already, so that nothing flickers."""
    now = timezone.now()
    choices = Settings(
        minimum_pairs=campaign.min_pairs, keep_all_annotators=uses_everybody(campaign)
    )
    if renewed := result_renew(campaign=campaign, choices=choices, now=now):
        job_wake(renewed)
    found = campaign_overview(campaign, result_key(choices), now=now)
    if found.may_change and request.GET.get("seen") == found.digest:
        return HttpResponse(status=204)
    this = Campaign.objects.filter(pk=campaign.pk)
    context = {
        "campaign": campaign,
        "overview": found,
        "is_rated": campaigns_rated(this).exists(),
    }
    return render(request, "analysis/_overview.html", context)


@require_safe
@for_member()
def campaigns_progress(request: MemberRequest) -> HttpResponseBase:
    """What the list of campaigns, which knows nothing of ratings, says of those it names."""
    named = campaigns_for(request.user).filter(slug__in=request.GET.getlist("campaign"))
    context = {"turns": campaigns_turns(named), "rated": campaigns_rated(named)}
    return render(request, "analysis/_progress.html", context)


@require_safe
@for_campaign()
def hits_progress(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """The same of the HITs that a page of their list names."""
    named = [key for text in request.GET.getlist("hit") if (key := row_key(text)) is not None]
    return render(request, "analysis/_progress.html", {"turns": hits_turns(campaign, named)})
