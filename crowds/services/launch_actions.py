"""Pausing, extending or closing a launch: what it does and costs, before and when it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from annotations.models import Assignment
from crowds.models import Launch
from crowds.selectors.money import campaign_sums, policy_of
from crowds.selectors.overview import OpenWork, launch_open_work
from daplatform.errors import DomainError

Service = Callable[..., object]


@dataclass(frozen=True)
class Effect:
    """How a launch stands, and what an action changes."""

    places: OpenWork
    left: Decimal  # of the budget, now
    cost: Decimal = Decimal("0.00")  # promised on top
    asked: int = 0  # people
    obstacle: str = ""


@transaction.atomic
def launch_action_take(*, service: Service, launch: Launch, by: User, **amounts: Any) -> Effect:
    """The effect of a service that changes a launch, or the sentence with which it refuses.

    The caller's launch stays as it was before.
    """
    campaign = launch.batch.campaign
    places, before, open_ = launch_open_work(launch), campaign_sums(campaign).total, _open(launch)
    left = policy_of(campaign).budget - before
    try:
        service(launch=Launch.objects.get(pk=launch.pk), by=by, **amounts)
    except DomainError as error:
        return Effect(places, left, obstacle=str(error))
    return Effect(places, left, campaign_sums(campaign).total - before, _open(launch) - open_)


def launch_action_preview(**asked: Any) -> Effect:
    """What `launch_action_take` would do: it is done and rolled back, so it cannot differ."""
    with transaction.atomic():
        try:
            return launch_action_take(**asked)
        finally:
            transaction.set_rollback(True)


def _open(launch: Launch) -> int:
    turns = Assignment.objects.filter(hit__batch=launch.batch_id)
    return turns.filter(state=Assignment.State.OPEN).count()
