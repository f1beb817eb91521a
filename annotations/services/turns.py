"""What turning a launch would do and cost: it is done and rolled back, so that it cannot differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from annotations.models import Assignment
from annotations.selectors.crowd import Places, launch_places
from daplatform.errors import DomainError
from hits.models import Launch
from hits.selectors.money import campaign_sums
from hits.services.money import CENT, money_left

Turn = Callable[..., object]


@dataclass(frozen=True)
class Effect:
    """How a launch stands, and what a turn would change."""

    places: Places
    left: Decimal  # of the budget, now
    cost: Decimal = Decimal("0.00")  # promised on top
    asked: int = 0  # people
    obstacle: str = ""


def turn_preview(*, turn: Turn, launch: Launch, by: User, **wishes: Any) -> Effect:
    """The effect of a service that turns a launch, or the sentence with which it refuses."""
    campaign = launch.batch.campaign
    places, left = launch_places(launch), money_left(campaign)
    with transaction.atomic():
        try:
            before, open_ = campaign_sums(campaign).total, _open(launch)
            turn(launch=Launch.objects.get(pk=launch.pk), by=by, **wishes)
            cost = (campaign_sums(campaign).total - before).quantize(CENT)
            return Effect(places, left, cost, _open(launch) - open_)
        except DomainError as error:
            return Effect(places, left, obstacle=str(error))
        finally:
            transaction.set_rollback(True)


def _open(launch: Launch) -> int:
    turns = Assignment.objects.filter(hit__batch=launch.batch_id)
    return turns.filter(state=Assignment.State.OPEN).count()
