"""How a campaign stands with its crowd: launches, money, what was told, who did what."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from crowds.forms import PolicyForm
from crowds.models import OutboxMessage
from crowds.selectors.money import campaign_currency, campaign_sums, entries_described, policy_of
from crowds.selectors.offering import batches_to_launch
from crowds.selectors.outbox import outbox_described
from crowds.selectors.overview import launch_rows, outbox_counts, outbox_shown
from crowds.services.launches import policy_update
from crowds.services.outbox import REPEATABLE, outbox_retry, outbox_settle
from crowds.tasks import outbox_run_task
from daplatform.errors import DomainError
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign

SHOWN = 20


@require_safe
@for_campaign("hits.change_campaign")
def crowd(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    return crowd_page(request, campaign)


def crowd_page(
    request: MemberRequest, campaign: Campaign, form: PolicyForm | None = None
) -> HttpResponseBase:
    policy, sums = policy_of(campaign), campaign_sums(campaign)
    launches = launch_rows(campaign)
    context = {
        "campaign": campaign,
        "policy": policy,
        "form": form or PolicyForm(instance=policy),
        "sums": sums,
        "currency": campaign_currency(campaign),
        "left": policy.budget - sums.total,
        "launches": launches,
        "waiting": sum(row.waiting for row in launches),
        "batches": batches_to_launch(campaign),
        "outbox": outbox_described(outbox_shown(campaign, limit=SHOWN)),
        "outbox_counts": outbox_counts(campaign),
        "repeatable": REPEATABLE,
        "entries": entries_described(campaign.ledger.order_by("-pk")[:SHOWN]),
        "trail": campaign.trail.select_related("person")[:SHOWN],
    }
    status = 400 if form is not None else 200
    return render(request, "crowds/overview.html", context, status=status)


@require_POST
@for_campaign("hits.change_campaign")
def policy_save(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    form = PolicyForm(request.POST, instance=policy_of(campaign))
    if form.is_valid():
        try:
            policy_update(campaign=campaign, by=request.user, **form.cleaned_data)
        except DomainError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The rules are saved.")
            return redirect("crowds:crowd", campaign.slug)
    return crowd_page(request, campaign, form)


@require_POST
@for_campaign("hits.change_campaign")
def outbox_decide(
    request: MemberRequest, campaign: Campaign, pk: int, word: str
) -> HttpResponseBase:
    """A person says what became of a message whose outcome nobody could look up."""
    message = get_object_or_404(OutboxMessage, pk=pk, campaign=campaign)
    try:
        if word == "again":
            outbox_retry(message=message, by=request.user)
        else:
            outbox_settle(message=message, was_done=word == "done", by=request.user)
    except DomainError as error:
        messages.error(request, str(error))
    outbox_run_task.delay_on_commit(message.crowd)  # type: ignore[attr-defined]
    return redirect("crowds:crowd", campaign.slug)
