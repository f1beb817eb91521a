"""The block at the head of a campaign's page that follows the campaign while it is live."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from analysis.pipeline import Settings
from analysis.selectors.overview import campaign_overview
from analysis.services.renewal import result_renew
from analysis.services.results import choices_key
from analysis.tasks import result_compute_task
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign


@require_safe
@for_campaign()
def overview(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """The block; nothing (204) for a page that shows it already, so that nothing flickers."""
    now = timezone.now()
    choices = Settings(minimum_pairs=campaign.min_pairs)
    if renewed := result_renew(campaign=campaign, choices=choices, now=now):
        result_compute_task.delay_on_commit(renewed.pk)  # type: ignore[attr-defined]
    found = campaign_overview(campaign, choices_key(choices), now=now)
    if found.may_change and request.GET.get("seen") == found.digest:
        return HttpResponse(status=204)
    context = {"campaign": campaign, "overview": found}
    return render(request, "analysis/_overview.html", context)
