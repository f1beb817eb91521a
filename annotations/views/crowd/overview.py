"""How a campaign stands with its crowd: launches, money, what was told, who did what."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotations.forms import PolicyForm
from annotations.selectors.concerned import acts_described
from annotations.selectors.crowd import act_counts, acts_shown, batches_to_launch, launch_rows
from annotations.selectors.ledger import entries_described
from annotations.services.launches import policy_update
from daplatform.errors import DomainError
from hits.models import Act, Campaign
from hits.selectors.money import campaign_currency, campaign_sums, policy_of
from hits.services.outbox import REPEATABLE, act_retry, act_settle
from hits.tasks import acts_run_task
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
        "acts": acts_described(acts_shown(campaign, limit=SHOWN)),
        "act_counts": act_counts(campaign),
        "repeatable": REPEATABLE,
        "entries": entries_described(campaign.ledger.order_by("-pk")[:SHOWN]),
        "trail": campaign.trail.select_related("person")[:SHOWN],
    }
    status = 400 if form is not None else 200
    return render(request, "annotations/crowd/overview.html", context, status=status)


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
            return redirect("annotations:crowd", campaign.slug)
    return crowd_page(request, campaign, form)


@require_POST
@for_campaign("hits.change_campaign")
def act_decide(request: MemberRequest, campaign: Campaign, pk: int, word: str) -> HttpResponseBase:
    """A person says what became of an act whose outcome nobody could look up."""
    act = get_object_or_404(Act, pk=pk, campaign=campaign)
    try:
        if word == "again":
            act_retry(act=act, by=request.user)
        else:
            act_settle(act=act, was_done=word == "done", by=request.user)
    except DomainError as error:
        messages.error(request, str(error))
    acts_run_task.delay_on_commit(act.crowd)  # type: ignore[attr-defined]
    return redirect("annotations:crowd", campaign.slug)
