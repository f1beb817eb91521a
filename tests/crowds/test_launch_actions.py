"""Pause, extend, top up, close: what it does and costs is seen before it happens."""

from __future__ import annotations

from decimal import Decimal

import pytest

from annotations.models import Assignment
from crowds.models import (
    AuditEntry,
    Launch,
    LedgerEntry,
    OutboxMessage,
    Policy,
    Publication,
    Submission,
)
from crowds.selectors.money import campaign_sums
from crowds.services.launches import launch_close, launches_open
from crowds.services.money import OverBudget
from crowds.services.outbox import outbox_run
from crowds.services.reviews import submissions_pay
from crowds.services.submissions import launch_sync
from crowds.services.topups import launch_extend
from daplatform.errors import DomainError
from tests.crowd import launch, work
from tests.crowds.crowd_people import arrive, finish, rate
from tests.pages import markup, shown


@pytest.fixture(autouse=True)
def no_queue(monkeypatch):
    monkeypatch.setattr("crowds.tasks.outbox_run_task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def made(campaign, market):
    campaign.assignments = 2
    campaign.save()
    made = launch(campaign, budget="10.00")
    work(made, market)
    return made


@pytest.fixture
def page(campaign, made, client_of):
    """A turn's page, opened or confirmed by the campaign's owner."""
    client = client_of(campaign.owner)

    def turn(name: str, method: str = "get", **sent):
        address = f"/campaigns/{campaign.slug}/crowd/launches/{made.pk}/{name}/"
        return getattr(client, method)(address, sent)

    return turn


@pytest.mark.parametrize("turn", ["pause", "extend", "close"])
def test_looking_changes_nothing(page, campaign, made, turn):
    before = (campaign_sums(campaign), OutboxMessage.objects.count(), AuditEntry.objects.count())
    response = page(turn)
    assert response.status_code == 200
    assert "Nothing has happened yet." in shown(response)
    assert (
        campaign_sums(campaign),
        OutboxMessage.objects.count(),
        AuditEntry.objects.count(),
    ) == before
    made.refresh_from_db()
    assert (made.state, made.people) == ("live", 2)


def test_closing_says_what_is_free_again(page, made, market):
    arrive(made.batch.hits.get(), "W1", "P1-W1")
    effect = page("close").context["effect"]
    assert (effect.places.open, effect.places.working) == (1, 1)
    assert effect.places.unused == Decimal("1.19")


def test_closing_too_early_says_why_and_offers_the_review(page, made, market):
    finish(market, "P1", made.batch.hits.get(), "W1")
    work(made, market)
    content = markup(page("close"))
    assert "1 submission is not decided yet" in content
    assert "?show=open" in content


def test_extending_costs_what_was_seen(page, campaign, made, market):
    content = markup(page("extend", people="3"))
    assert "Extend for 3.57 USD" in content
    assert "USD an hour at the expected pace" in content
    assert page("extend", "post", people="3", seen="1.19 beyond 2").status_code == 400
    assert campaign_sums(campaign).total == Decimal("2.38")
    assert page("extend", "post", people="3", seen="3.57 beyond 2").status_code == 302
    made.refresh_from_db()
    assert made.people == 5
    assert campaign_sums(campaign).total == Decimal("5.95")
    outbox_run(crowd="mturk")
    assert market.out["P1"].people == 5
    assert Assignment.objects.filter(state="open").count() == 5
    assert AuditEntry.objects.first().action == "extended"


def test_pressing_the_button_twice_extends_once(page, campaign, made):
    seen = page("extend", people="3").context["seen"]
    assert page("extend", "post", people="3", seen=seen).status_code == 302
    again = page("extend", "post", people="3", seen=seen)
    assert (again.status_code, again.context["seen"]) == (400, "3.57 beyond 5")
    made.refresh_from_db()
    assert made.people == 5
    assert campaign_sums(campaign).total == Decimal("5.95")


def test_extending_for_days_costs_nothing_and_opens_again(page, made, market):
    assert page("extend", "post", people="0", days="14").status_code == 302
    outbox_run(crowd="mturk")
    assert market.calls["reopen"] == 1
    made.refresh_from_db()
    assert made.lifetime_days == 14


def test_extending_beyond_the_budget_is_refused_in_a_sentence(page, campaign, made):
    content = markup(page("extend", people="20"))
    assert "This would cost 23.80, and 7.62 of the budget is left." in content
    with pytest.raises(OverBudget):
        launch_extend(launch=made, by=campaign.owner, people=20)
    made.refresh_from_db()
    assert made.people == 2


def test_extending_by_nothing_or_what_is_paused_is_refused(campaign, made):
    with pytest.raises(DomainError, match="how many more people"):
        launch_extend(launch=made, by=campaign.owner)
    Launch.objects.update(state="paused")
    with pytest.raises(DomainError, match="Only a live launch"):
        launch_extend(launch=made, by=campaign.owner, people=1)


@pytest.mark.parametrize("people", ["-1", "many", "51"])
def test_a_number_that_is_none_is_said(page, made, people):
    assert page("extend", "post", people=people).status_code == 400
    assert OutboxMessage.objects.filter(kind="extend").count() == 0


def test_topping_up_says_whom_it_asks_and_for_how_much(page, campaign, made, market):
    assert "2 places wait to be taken" in shown(page("top-up"))
    finish(market, "P1", made.batch.hits.get(), "W1")
    work(made, market)
    Submission.objects.update(use=False)
    effect = page("top-up").context["effect"]
    assert (effect.asked, effect.cost) == (1, Decimal("1.19"))
    assert page("top-up", "post", seen="1.19 beyond 2").status_code == 302
    assert Assignment.objects.filter(state="open").count() == 2


def test_a_double_click_pauses_once(page, made):
    assert page("pause", "post").status_code == 302
    assert page("pause", "post").status_code == 400
    assert OutboxMessage.objects.filter(kind="expire").count() == 1


def test_a_refused_launch_leaves_the_budget_as_it_was(campaign, market, client_of):
    form = {
        "crowd": "mturk",
        "reward": "0.99",
        "budget": "1.00",
        "lifetime_days": "7",
        "title": "Rate",
        "description": "Rate captions",
        "seen": "1.19 USD",
    }
    address = f"/campaigns/{campaign.slug}/crowd/launch/1/"
    assert client_of(campaign.owner).post(address, form).status_code == 400
    assert not Policy.objects.exists()
    assert not AuditEntry.objects.exists()


def test_a_launch_is_called_by_its_crowds_name(campaign, market):
    assert str(launch(campaign, crowd="invite")).endswith(", batch 1, Invited people")


def test_somebody_invited_who_finishes_after_the_close_has_a_submission(campaign, market):
    made = launch(campaign, crowd="invite")
    outbox_run(crowd="invite")
    turn = arrive(made.batch.hits.get(), f"{campaign.pk}:Anna", "", crowd="invite")
    launch_close(launch=made, by=campaign.owner)
    outbox_run(crowd="invite")
    assert Publication.objects.get().status == "closed"
    assert list(launches_open()) == [made]
    rate(turn)
    launch_sync(launch=made)
    row = Submission.objects.get()
    assert row.assignment == turn
    assert list(launches_open()) == []
    submissions_pay(campaign=campaign, submissions=[row], by=campaign.owner)
    outbox_run(crowd="invite")
    assert LedgerEntry.objects.filter(kind="paid").count() == 1


def test_two_groups_who_have_enough_are_two_wishes(campaign, market):
    """The first and the last of both are the same people, and so is their number."""
    campaign.max_hits_per_annotator = 1
    campaign.assignments = 4
    campaign.save()
    made = launch(campaign)
    work(made, market)
    hit = made.batch.hits.get()
    for person in "ABCD":
        finish(market, "P1", hit, person)
    from crowds.services.submissions import people_enough

    launch_sync(launch=made)
    OutboxMessage.objects.filter(kind="enlist").delete()
    rows = list(Submission.objects.order_by("pk"))
    people_enough(made, [rows[0], rows[1], rows[3]])
    people_enough(made, [rows[0], rows[2], rows[3]])
    outbox_run(crowd="mturk")
    (enough,) = (who for name, who in market.lists.items() if name.endswith("enough"))
    assert enough == set("ABCD")
