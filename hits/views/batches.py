"""Composing HITs and listing them."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from daplatform.errors import DomainError
from daplatform.jobs.tasks import job_wake
from hits import selectors
from hits.models import Campaign
from hits.services import composing
from hits.views.access import MemberRequest, for_campaign
from hits.views.campaigns import campaign_page

HITS_PER_PAGE = 50
COMPOSED_AT_ONCE = 50_000  # captions: a matter of seconds


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign("hits.add_batch")
def batch_compose(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """A small campaign is composed at once; a worker sees to a large one, and the page waits.

    The address stays in the browser's bar where composing fails: opened, it leads to the campaign.
    """
    if request.method != "POST":
        return redirect("hits:campaign-detail", campaign.slug)
    is_small = selectors.ratings_wanted(campaign) <= COMPOSED_AT_ONCE
    try:
        if "fit" in request.POST:
            composing.campaign_fit(campaign=campaign)
        batch = (composing.batch_compose if is_small else composing.batch_create)(campaign=campaign)
    except DomainError as error:
        return campaign_page(request, campaign, error=str(error))
    if is_small:
        messages.success(request, f"Batch {batch.number} is composed. Next: launch it.")
    else:
        job_wake(batch)
    return redirect("hits:campaign-detail", campaign.slug)


@require_POST
@for_campaign("hits.change_campaign")
def batch_delete(request: MemberRequest, campaign: Campaign, number: int) -> HttpResponseBase:
    """Forget a batch that nobody was asked to rate."""
    batch = get_object_or_404(campaign.batches, number=number)
    try:
        composing.batch_delete(batch=batch)
    except DomainError as error:
        return campaign_page(request, campaign, error=str(error))
    messages.success(request, f"Batch {number} is deleted.")
    return redirect("hits:campaign-detail", campaign.slug)


@require_safe
@for_campaign()
def hit_list(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    batch = batch_wanted(request)
    batches = selectors.campaign_batches(campaign)
    paginator = Paginator(selectors.campaign_hits(campaign, batch), HITS_PER_PAGE)
    paginator.count = sum(each.hit_count for each in batches if batch in (None, each.number))  # type: ignore[attr-defined]
    page = paginator.get_page(request.GET.get("page"))
    context = {"campaign": campaign, "page": page, "batch": batch, "batches": batches}
    if not batches:
        context["obstacle"] = selectors.campaign_obstacle(campaign)
    return render(request, "hits/hit_list.html", context)


def batch_wanted(request: MemberRequest) -> int | None:
    """The one batch whose HITs are asked for; None for all."""
    number = request.GET.get("batch", "")
    return int(number) if number.isdecimal() and len(number) < 10 else None
