"""Pausing, extending, topping up and closing a launch: what it does and costs is seen first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from crowds.forms import ExtendForm
from crowds.models import Launch
from crowds.registry import LABELS
from crowds.services.launch_actions import Effect, launch_action_preview, launch_action_take
from crowds.services.launches import (
    launch_close,
    launch_pause,
    launch_publish_again,
    launch_resume,
)
from crowds.services.money import campaign_lock
from crowds.services.topups import TopUp, launch_extend, launch_top_up
from crowds.tasks import launch_reconcile_task, launch_sync_task, outbox_run_task
from daplatform.errors import DomainError
from hits.models import Campaign
from hits.planning import hourly_pay
from hits.views.access import MemberRequest, for_campaign


def _top_up(**asked: Any) -> TopUp:
    """Nobody asked is a refusal here: a person has pressed the button."""
    top_up = launch_top_up(**asked)
    if not top_up.people:
        raise DomainError(
            top_up.obstacle or "Every HIT has its ratings: there is nothing to top up."
        )
    return top_up


@dataclass(frozen=True)
class LaunchAction:
    """What can be done with a launch, in words for the button, the page and afterwards."""

    service: Callable[..., object]
    label: str
    done: str


ACTIONS: dict[str, LaunchAction] = {
    "pause": LaunchAction(launch_pause, "Pause", "The launch is paused: no new people can start."),
    "resume": LaunchAction(launch_resume, "Resume", "The launch is resumed."),
    "extend": LaunchAction(launch_extend, "Extend", "The launch is extended."),
    "top-up": LaunchAction(
        _top_up, "Top up", "HITs whose ratings were left out are offered again."
    ),
    "publish-again": LaunchAction(
        launch_publish_again,
        "Publish what was refused",
        "The refused HITs are being published again.",
    ),
    "close": LaunchAction(launch_close, "Close", "The launch is closed."),
}


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign("hits.change_campaign")
def launch_change(
    request: MemberRequest, campaign: Campaign, pk: int, action: str
) -> HttpResponseBase:
    """GET says what it does and costs, POST does it. What costs money costs what was seen."""
    launch, chosen, form = _launch(campaign, pk), ACTIONS[action], _form(request, action)
    is_whole = form is None or form.is_valid()
    amounts = form.amounts() if form is not None and is_whole else {}
    if request.method == "POST" and is_whole and _change_as_seen(request, chosen, launch, amounts):
        return redirect("crowds:crowd", campaign.slug)
    effect = launch_action_preview(
        service=chosen.service, launch=launch, by=request.user, **amounts
    )
    context = {
        "campaign": campaign,
        "launch": launch,
        "label": LABELS.get(launch.crowd, launch.crowd),
        "action": action,
        "chosen": chosen,
        "form": form,
        "effect": effect,
        "seen": _seen(launch, effect),
        "hourly": hourly_pay(launch.reward, Decimal(launch.minutes_expected)),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "crowds/launch_action.html", context, status=status)


def _launch(campaign: Campaign, pk: int) -> Launch:
    launches = Launch.objects.select_related("batch__campaign")
    return get_object_or_404(launches, pk=pk, batch__campaign=campaign)


def _form(request: MemberRequest, action: str) -> ExtendForm | None:
    """By how much it is extended; at first by one person."""
    if action != "extend":
        return None
    return ExtendForm(request.POST or request.GET or {"people": "1"})


def _seen(launch: Launch, effect: Effect) -> str:
    """What a page that was shown with this effect sends back; nothing for what costs nothing.

    Extending twice costs the same twice: so it says how many people there were before, too.
    """
    return f"{effect.cost:.2f} beyond {launch.people}" if effect.cost else ""


@transaction.atomic
def _change_as_seen(
    request: MemberRequest, action: LaunchAction, launch: Launch, amounts: dict[str, int]
) -> bool:
    """Do it, unless that is not what the page showed.

    A second click waits for the first, and sees what that has done.
    """
    campaign_lock(launch.batch.campaign)
    launch.refresh_from_db()
    effect = launch_action_take(service=action.service, launch=launch, by=request.user, **amounts)
    if request.POST.get("seen", "") != _seen(launch, effect):
        transaction.set_rollback(True)
        return False
    if effect.obstacle:
        messages.error(request, effect.obstacle)
        return False
    outbox_run_task.delay_on_commit(launch.crowd)  # type: ignore[attr-defined]
    messages.success(request, action.done)
    return True


QUESTIONS = {
    "sync": (launch_sync_task, "Checking for new work."),
    "reconcile": (launch_reconcile_task, "Comparing our records with the crowd’s."),
}


@require_POST
@for_campaign("hits.change_campaign")
def launch_ask(
    request: MemberRequest, campaign: Campaign, pk: int, action: str
) -> HttpResponseBase:
    """Ask the crowd about a launch: that changes and costs nothing there."""
    task, sentence = QUESTIONS[action]
    task.delay_on_commit(_launch(campaign, pk).pk)  # type: ignore[attr-defined]
    messages.success(request, sentence)
    return redirect("crowds:crowd", campaign.slug)
