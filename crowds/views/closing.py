"""Closing a campaign, after a page that says what ends and what stays; and reopening it."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from crowds.selectors.closing import campaign_ending, open_launches
from crowds.services.closing import campaign_begin_again, campaign_end
from crowds.tasks import outbox_run_task
from daplatform.errors import DomainError
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign("hits.change_campaign")
def campaign_close(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """GET says what ends, POST ends it."""
    error = ""
    if request.method == "POST":
        crowds = {launch.crowd for launch in open_launches(campaign)}
        try:
            campaign_end(campaign=campaign, by=request.user)
        except DomainError as refusal:
            error = str(refusal)
        else:
            for crowd in sorted(crowds):
                outbox_run_task.delay_on_commit(crowd)  # type: ignore[attr-defined]
            messages.success(request, "The campaign is closed.")
            return redirect("hits:campaign-settings", campaign.slug)
    context = {
        "campaign": campaign,
        "ending": campaign_ending(campaign),
        "error": error,
        "days": settings.RETENTION_DAYS,
    }
    return render(request, "crowds/close.html", context, status=400 if error else 200)


@require_POST
@for_campaign("hits.change_campaign")
def campaign_reopen(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    days = settings.RETENTION_DAYS
    try:
        campaign_begin_again(campaign=campaign, by=request.user, now=timezone.now(), days=days)
    except DomainError as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, "The campaign is open again.")
    return redirect("hits:campaign-settings", campaign.slug)
