"""Many at once, on PostgreSQL: the budget holds, nobody is paid or published twice."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from annotations.errors import NothingToTake
from annotations.models import Assignment, Submission
from annotations.selectors.offering import Choices
from annotations.services.launches import batch_launch, policy_update
from annotations.services.reviews import submissions_pay
from annotations.services.submissions import launch_sync
from annotations.services.topups import launch_top_up
from hits.models import Act, Launch, LedgerEntry, Posting
from hits.selectors.money import campaign_sums
from hits.services.money import OverBudget
from hits.services.outbox import acts_run
from tests.annotations.crowd_people import arrive, finish
from tests.crowd import launch, work
from tests.factories import make_campaign, make_hit

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def at_once(count: int, act: Callable[[int], Any]) -> list[Any]:
    """What each of many threads gets, or the error it ran into."""

    def run(number: int) -> Any:
        try:
            return act(number)
        except (OverBudget, NothingToTake) as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(run, range(count)))


def test_launches_at_once_never_pass_the_budget(market):
    campaign = make_campaign()
    batches = [make_hit(campaign).batch for _ in range(8)]
    policy_update(campaign=campaign, by=campaign.owner, budget=Decimal("3.60"))
    choices = Choices(crowd="mturk", reward=Decimal("0.99"))
    results = at_once(
        8, lambda n: batch_launch(batch=batches[n], choices=choices, by=campaign.owner)
    )
    assert sum(isinstance(result, Launch) for result in results) == 3
    assert campaign_sums(campaign).total == Decimal("3.57")
    assert Posting.objects.count() == Act.objects.count() == 3


def test_fifty_people_racing_for_ten_places_get_ten(market):
    campaign = make_campaign(assignments=10)
    hit = make_hit(campaign)
    made = launch(campaign)
    work(made, market)
    results = at_once(50, lambda n: arrive(hit, f"W{n}", f"A{n}"))
    taken = [result for result in results if isinstance(result, Assignment)]
    assert len(taken) == 10
    assert len({turn.slot for turn in taken}) == 10
    assert Assignment.objects.filter(state="active").count() == 10


def test_workers_at_once_tell_everything_once(market):
    campaign = make_campaign(assignments=8)
    hit = make_hit(campaign)
    made = launch(campaign)
    at_once(6, lambda _: acts_run(crowd="mturk"))
    assert market.calls["publish"] == 1
    for person in range(8):
        finish(market, "P1", hit, f"W{person}")
    at_once(4, lambda _: launch_sync(launch=made))
    assert Submission.objects.count() == 8
    rows = list(Submission.objects.all())
    at_once(4, lambda _: submissions_pay(campaign=campaign, submissions=rows))
    at_once(6, lambda _: acts_run(crowd="mturk"))
    assert market.calls["approve"] == 8
    assert LedgerEntry.objects.filter(kind="paid").count() == 8
    assert campaign_sums(campaign).spent == market.spent
    assert campaign_sums(campaign).outstanding == 0


def test_topping_up_at_once_asks_once(market):
    campaign = make_campaign(assignments=2)
    hit = make_hit(campaign)
    made = launch(campaign)
    work(made, market)
    finish(market, "P1", hit, "W1")
    work(made, market)
    Submission.objects.update(use=False)
    asked = at_once(6, lambda _: launch_top_up(launch=Launch.objects.get(pk=made.pk)).people)
    assert sorted(asked) == [0, 0, 0, 0, 0, 1]
    assert Assignment.objects.count() == 3
