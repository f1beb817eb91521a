"""Launching a batch: its cost is seen first, and what is launched costs what was seen."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from crowds.forms import LaunchForm
from crowds.gateway import TransientFault
from crowds.models import Launch
from crowds.registry import LABELS, connect, crowd_named
from crowds.selectors.money import policy_of
from crowds.selectors.offering import Estimate, batches_to_launch, launch_estimate
from crowds.services.launches import batch_launch
from crowds.tasks import outbox_run_task
from daplatform.errors import DomainError
from hits.models import Batch, Campaign
from hits.views.access import MemberRequest, for_campaign


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign("hits.change_campaign")
def launch_create(request: MemberRequest, campaign: Campaign, number: int) -> HttpResponseBase:
    """GET shows the cost of what is chosen (htmx asks for the cost alone), POST launches."""
    batch = batches_to_launch(campaign).filter(number=number).first()
    if batch is None:
        get_object_or_404(campaign.batches, number=number)
        messages.info(request, f"Batch {number} has already been launched or rated.")
        return redirect("crowds:crowd", campaign.slug)
    tried = request.POST if request.method == "POST" else request.GET
    is_chosen = request.method == "POST" or "reward" in tried  # else a link that names the crowd
    crowd = request.GET.get("crowd", "")
    form = LaunchForm.of(campaign, policy_of(campaign), tried if is_chosen else None, crowd=crowd)
    estimate = _estimate(batch, form)
    if request.method == "POST" and estimate is not None:
        if form.cleaned_data["seen"] != _seen(estimate):
            form.add_error(None, "The cost has changed. Check it below, then launch again.")
        elif _launch(request, batch, form):
            is_marketplace = crowd_named(form.cleaned_data["crowd"]).is_marketplace
            return redirect(f"crowds:{'crowd' if is_marketplace else 'link-list'}", campaign.slug)
    if not form.is_bound and estimate is not None and not estimate.budget:
        form.initial["budget"] = estimate.with_replacements.total
        estimate = _estimate(batch, form)
    context = {
        "campaign": campaign,
        "batch": batch,
        "form": form,
        "estimate": estimate,
        "seen": _seen(estimate) if estimate else "",
    }
    name = "crowds/_estimate.html" if request.htmx else "crowds/launch.html"
    return render(request, name, context, status=400 if form.errors else 200)


def _estimate(batch: Batch, form: LaunchForm) -> Estimate | None:
    """What is chosen costs, or None with the reason among the form's errors."""
    if not form.is_bound:
        form = LaunchForm(_initials(form))
    if not form.is_valid():
        return None
    try:
        gateway = connect(form.cleaned_data["crowd"], hurried=True)
        return launch_estimate(
            batch=batch,
            choices=form.choices(),
            gateway=gateway,
            budget=form.cleaned_data["budget"],
        )
    except DomainError as error:
        form.add_error(None, str(error))
        return None


def _initials(form: LaunchForm) -> dict[str, object]:
    """What an untouched form would send."""
    values = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    return values | {"crowd": values["crowd"] or next(iter(LABELS))}


def _launch(request: MemberRequest, batch: Batch, form: LaunchForm) -> bool:
    try:
        launch = batch_launch(
            batch=batch,
            choices=form.choices(),
            by=request.user,
            budget=form.cleaned_data["budget"],
        )
    except TransientFault as fault:
        form.add_error(None, f"{fault} Nothing was launched. Try again later.")
        return False
    except DomainError as error:
        form.add_error(None, str(error))
        return False
    outbox_run_task.delay_on_commit(launch.crowd)  # type: ignore[attr-defined]
    messages.success(request, _launched_sentence(launch))
    return True


def _launched_sentence(launch: Launch) -> str:
    number = launch.batch.number
    if crowd_named(launch.crowd).is_marketplace:
        return f"Batch {number} is being published on {LABELS[launch.crowd]}."
    return f"Batch {number} is launched. Now invite people: each gets a link."


def _seen(estimate: Estimate) -> str:
    """What a form that was shown with this estimate sends back."""
    return f"{estimate.price.total} {estimate.crowd.currency}"
