"""The block of a campaign’s page that follows a live campaign."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from analysis.selectors.overview import campaign_overview, overview_choices
from analysis.services.requests import result_key, result_renew
from daplatform.jobs.tasks import job_wake
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign


@require_safe
@for_campaign()
def overview(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """The block; nothing (204) for a page that shows it already, so that nothing flickers."""
    now = timezone.now()
    choices = overview_choices(campaign)
    if renewed := result_renew(campaign=campaign, choices=choices, now=now):
        job_wake(renewed)
    found = campaign_overview(campaign, result_key(choices), now=now)
    if request.GET.get("seen") == found.digest:
        return HttpResponse(status=204)
    return render(request, "analysis/_overview.html", {"campaign": campaign, "overview": found})
