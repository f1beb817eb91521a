"""The organiser's pages about the crowd: from the cost to the last cent."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from annotations.models import Assignment
from crowds.gateway import Facts, PermanentFault, UnclearOutcome
from crowds.invite import gateway as invite
from crowds.models import Launch, OutboxMessage, Policy, Submission, Verdict
from crowds.selectors.counting import uses_everybody
from crowds.selectors.money import campaign_sums
from crowds.selectors.offering import pay_warnings
from crowds.services.outbox import outbox_run
from tests.crowd import launch, work
from tests.crowds.crowd_people import finish
from tests.crowds.test_outbox import run_all
from tests.factories import make_campaign, make_hit
from tests.pages import markup, shown

FORM = {
    "crowd": "mturk",
    "reward": "0.99",
    "budget": "100",
    "lifetime_days": "7",
    "title": "Rate",
    "description": "Rate captions",
    "seen": "1.19 USD",
}


@pytest.fixture(autouse=True)
def no_queue(monkeypatch):
    """What pages would send to a worker."""
    poked = []
    for task in ("outbox_run_task", "launch_sync_task", "launch_reconcile_task"):
        monkeypatch.setattr(
            f"crowds.tasks.{task}.apply_async",
            lambda *args, task=task, **kwargs: poked.append(task),
        )
    return poked


@pytest.fixture
def path(campaign):
    return f"/campaigns/{campaign.slug}/crowd/"


@pytest.fixture
def organiser_client(campaign, client_of):
    return client_of(campaign.owner)


@pytest.fixture
def made(campaign, market):
    """A launch with one finished piece of work."""
    made = launch(campaign)
    work(made, market)
    finish(market, "P1", made.batch.hits.get(), "W1")
    work(made, market)
    return made


def test_before_a_launch_the_page_offers_one(path, organiser_client):
    content = markup(organiser_client.get(path))
    assert "See the cost and launch" in content
    assert "/crowd/launch/1/" in content


def test_the_cost_is_shown_first(path, organiser_client, market):
    response = organiser_client.get(f"{path}launch/1/", FORM)
    content = markup(response)
    assert response.status_code == 200
    assert "Launch for 1.19 USD" in content
    assert "less than the 8.00" in content
    assert not Launch.objects.exists()
    assert market.calls["publish"] == 0


def test_the_page_opens_with_sensible_choices(path, organiser_client):
    response = organiser_client.get(f"{path}launch/1/")
    assert response.status_code == 200
    assert response.context["estimate"].price.total == Decimal("0.99")
    assert response.context["form"]["budget"].value() == Decimal("1.24")


def test_htmx_gets_the_cost_alone(path, organiser_client, market):
    response = organiser_client.get(f"{path}launch/1/", FORM, headers={"HX-Request": "true"})
    assert "<html" not in markup(response)
    assert "Launch for 1.19" in shown(response)


def test_launching_costs_what_was_seen(path, organiser_client, campaign, market, no_queue):
    response = organiser_client.post(f"{path}launch/1/", FORM | {"seen": "0.50 USD"})
    assert response.status_code == 400
    assert "The cost has changed" in shown(response)
    assert not Launch.objects.exists()
    assert organiser_client.post(f"{path}launch/1/", FORM).status_code == 302
    assert Policy.objects.get().budget == Decimal("100")
    assert campaign_sums(campaign).outstanding == Decimal("1.19")


def test_launching_twice_is_launching_once(path, organiser_client, market):
    organiser_client.post(f"{path}launch/1/", FORM)
    again = organiser_client.post(f"{path}launch/1/", FORM, follow=True)
    assert "already been launched" in shown(again)
    assert Launch.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"budget": "1.18"}, "1.18 of the budget is left"),
        ({"reward": "-1"}, "greater than or equal to 0"),
        ({"countries": "England"}, "Enter two letters each"),
        ({"crowd": "nobody"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_launched_is_said(path, organiser_client, market, change, sentence):
    response = organiser_client.post(f"{path}launch/1/", FORM | change)
    assert response.status_code == 400
    assert sentence in shown(response)
    assert not Launch.objects.exists()


def test_what_the_crowd_would_refuse_is_said(path, organiser_client, market):
    market.break_next("check", "before", PermanentFault("The balance is empty."))
    response = organiser_client.post(f"{path}launch/1/", FORM)
    assert "The balance is empty." in shown(response)


def test_the_page_shows_how_a_launch_stands(path, organiser_client, made):
    content = markup(organiser_client.get(path))
    assert "Batch 1: Mechanical Turk" in content
    assert "1 of 1" in content
    assert "launched" in content


def test_what_the_crowd_is_told_is_said_in_words(path, organiser_client, campaign, market, made):
    decide(organiser_client, path, "uninvite")
    decide(organiser_client, path, "pay")
    told = {row.message.kind: row for row in organiser_client.get(path).context["outbox"]}
    assert told["publish"].about == "HIT 1-1"
    assert told["approve"].names == (str(Submission.objects.get().annotator),)
    assert told["enlist"].about == "Those not to be invited again"


def test_the_ledger_says_in_words_what_money_was_for(
    path, organiser_client, campaign, market, made
):
    decide(organiser_client, path, "pay")
    run_all(market)
    content = markup(organiser_client.get(path))
    ledger = content.partition('id="ledger"')[2].partition("</section>")[0]
    assert f"Work by {Submission.objects.get().annotator}, HIT 1-1" in ledger


def test_the_page_takes_the_same_few_queries_for_many(
    path, organiser_client, campaign, market, made, django_assert_max_num_queries
):
    for number in range(30):
        campaign.messages.create(crowd="mturk", kind="enlist", occasion=f"list-{number}")
        campaign.trail.create(action="looked", person=campaign.owner)
    with django_assert_max_num_queries(25):
        organiser_client.get(path)


@pytest.mark.parametrize("turn", ["sync", "reconcile"])
def test_a_crowd_is_asked_by_post_only(path, organiser_client, made, turn):
    address = f"{path}launches/{made.pk}/{turn}/"
    assert organiser_client.get(address).status_code == 405
    assert organiser_client.post(address, follow=True).status_code == 200


def test_pausing_and_resuming(path, organiser_client, made):
    organiser_client.post(f"{path}launches/{made.pk}/pause/")
    made.refresh_from_db()
    assert made.state == "paused"
    organiser_client.post(f"{path}launches/{made.pk}/resume/")
    made.refresh_from_db()
    assert made.state == "live"


def test_closing_too_early_says_why(path, organiser_client, made):
    response = organiser_client.post(f"{path}launches/{made.pk}/close/", follow=True)
    assert "not decided yet" in shown(response)


def test_the_rules_are_saved(path, organiser_client, made):
    rules = {
        "budget": "50",
        "approve_after_hours": "24",
        "pay_rule": "asked",
        "use_rule": "everyone",
        "invite_rule": "nobody",
    }
    assert organiser_client.post(f"{path}rules/", rules).status_code == 302
    policy = Policy.objects.get()
    assert (policy.budget, policy.pay_rule, policy.approve_after_hours) == (50, "asked", 24)
    assert organiser_client.post(f"{path}rules/", rules | {"budget": "-1"}).status_code == 400


def decide(client, path, action, **more):
    pks = [row.pk for row in Submission.objects.all()]
    data = {"action": action, "submission": pks, "once": action, "text": ""} | more
    return client.post(f"{path}review/", data, follow=True)


def test_the_review_table_shows_who_did_what(path, organiser_client, made):
    content = shown(organiser_client.get(f"{path}review/"))
    assert str(Submission.objects.get().annotator) in content
    assert "to be decided" in content
    assert "W1" not in content  # who somebody is to the crowd stays there


def test_paying_from_the_table(path, organiser_client, campaign, market, made):
    assert "1 will be paid." in shown(decide(organiser_client, path, "pay"))
    assert outbox_run(crowd="mturk") == 0  # it can still be undone
    run_all(market)
    assert market.spent == campaign_sums(campaign).spent == Decimal("1.19")


def test_refusing_needs_words(path, organiser_client, market, made):
    assert decide(organiser_client, path, "refuse").status_code == 400
    assert Submission.objects.get().pay == ""
    decide(organiser_client, path, "refuse", text="Nothing was watched.")
    assert Submission.objects.get().reason == "Nothing was watched."


def test_an_error_stands_beside_its_field_and_the_selection_stays(
    path, organiser_client, market, made
):
    market.facts = Facts(name="mturk", label="P", shortest_reason=30)
    for text, said in (("", "Give a reason."), ("Lazy.", "at least 30 characters; this has 5")):
        page = decide(organiser_client, path, "refuse", text=text)
        assert page.status_code == 400
        assert said in " ".join(page.context["form"].errors["text"])
        assert re.search(r'name="submission" value="\d+" checked', markup(page))
    assert Submission.objects.get().pay == ""


def test_review_and_the_ranking_mean_the_same_by_used(
    path, organiser_client, campaign, market, made
):
    verdict = {"campaign": campaign, "annotator": Submission.objects.get().annotator}
    Verdict.objects.create(**verdict, status="failed", pairs=10, checked_at=timezone.now())
    assert not uses_everybody(campaign)
    assert "left out" in shown(organiser_client.get(f"{path}review/"))
    Policy.objects.update_or_create(campaign=campaign, defaults={"use_rule": "everyone"})
    assert uses_everybody(campaign)
    page = shown(organiser_client.get(f"{path}review/"))
    assert "failed quality control, but the rule uses everybody" in page


def test_the_crowds_categories_are_offered(path, organiser_client, market, made):
    market.facts = Facts(name="mturk", label="P", rejection_categories={"LOW_EFFORT": "Low effort"})
    assert "Low effort" in shown(organiser_client.get(f"{path}review/"))


@pytest.mark.parametrize(
    ("action", "field", "value"),
    [
        ("use", "use", True),
        ("leave_out", "use", False),
        ("use_rule", "use", None),
        ("invite", "invite_again", True),
        ("uninvite", "invite_again", False),
        ("invite_rule", "invite_again", None),
    ],
)
def test_using_and_inviting_from_the_table(path, organiser_client, made, action, field, value):
    assert decide(organiser_client, path, action).status_code == 200
    assert getattr(Submission.objects.get(), field) is value


def test_a_bonus_clicked_twice_is_paid_once(path, organiser_client, market, made):
    for _ in range(2):
        decide(organiser_client, path, "bonus", amount="0.50", text="Careful work.")
    run_all(market)
    assert len(market.bonuses) == 1
    decide(organiser_client, path, "bonus", amount="0.50", text="Again.", once="y")
    run_all(market)
    assert len(market.bonuses) == 2


def test_a_message_reaches_the_person(path, organiser_client, market, made):
    decide(organiser_client, path, "message", text="Thank you.")
    run_all(market)
    assert market.messages == ["W1"]


def test_everybody_of_a_list_at_once(path, organiser_client, made):
    decide(organiser_client, path, "leave_out", submission=[], everybody="yes")
    assert Submission.objects.get().use is False


def test_paying_a_whole_list_overrules_no_refusal(path, organiser_client, market, made):
    decide(organiser_client, path, "refuse", text="Every score is the same.")
    run_all(market)
    response = decide(organiser_client, path, "pay", submission=[], everybody="yes")
    assert "This would change nothing." in shown(response)
    assert Submission.objects.get().pay == "refuse"
    decide(organiser_client, path, "pay")
    assert Submission.objects.get().pay == "pay"


def test_nothing_ticked_is_nothing_decided(path, organiser_client, made):
    response = decide(organiser_client, path, "pay", submission=[])
    assert response.status_code == 400
    assert "Select at least one submission" in shown(response)


def test_an_unclear_bonus_is_settled_by_a_person(path, organiser_client, campaign, market, made):
    market.tells_bonuses = False
    market.break_next("bonus", "after", UnclearOutcome("Lost."))
    decide(organiser_client, path, "bonus", amount="0.50", text="Careful work.")
    run_all(market)
    message = OutboxMessage.objects.get(kind="bonus")
    assert "It was done" in shown(organiser_client.get(path))
    organiser_client.post(f"{path}acts/{message.pk}/done/")
    assert campaign_sums(campaign).bonus == Decimal("0.50")


ADDRESSES = [
    ("get", ""),
    ("post", "rules/"),
    ("get", "launch/1/"),
    ("post", "launch/1/"),
    ("get", "review/"),
    ("post", "review/"),
    ("get", "orders"),
    ("post", "orders/1/undo/"),
    ("get", "launches/1/close/"),
    ("post", "launches/1/extend/"),
    ("post", "launches/1/pause/"),
    ("post", "launches/1/close/"),
    ("post", "launches/1/top-up/"),
    ("post", "acts/1/done/"),
    ("post", "acts/1/again/"),
]


@pytest.mark.parametrize(("method", "address"), ADDRESSES)
def test_a_stranger_is_refused(path, client_of, stranger, method, address):
    assert getattr(client_of(stranger), method)(path + address).status_code == 404


@pytest.mark.parametrize(("method", "address"), ADDRESSES)
def test_an_analyst_of_the_campaign_may_not_spend(
    campaign, path, client_of, analyst, method, address
):
    campaign.colleagues.add(analyst)
    assert getattr(client_of(analyst), method)(path + address).status_code == 403


@pytest.mark.parametrize(("method", "address"), ADDRESSES)
def test_somebody_not_logged_in_is_sent_to_log_in(path, method, address):
    assert getattr(Client(), method)(path + address).status_code == 302


def test_another_campaigns_launch_is_not_this_ones(path, organiser_client, market, made):
    other = make_campaign(owner=made.batch.campaign.owner)
    make_hit(other)
    theirs = launch(other)
    assert organiser_client.post(f"{path}launches/{theirs.pk}/pause/").status_code == 404


def test_pay_below_what_the_crowd_asks_for_is_said_when_it_is_seen(path, organiser_client, made):
    now = timezone.now()
    Assignment.objects.update(claimed_at=now - timedelta(hours=1), submitted_at=now)
    assert "about 0.99 USD an hour, less than" in shown(organiser_client.get(path))


def test_nobody_earns_by_the_hour_what_a_program_did_in_seconds(path, organiser_client, made):
    now = timezone.now()
    Assignment.objects.update(claimed_at=now - timedelta(seconds=3), submitted_at=now)
    assert "an hour by the median time" not in shown(organiser_client.get(path))
    assert "under 1<" in markup(organiser_client.get(f"{path}review/"))
    Assignment.objects.update(claimed_at=now - timedelta(minutes=30))
    assert "an hour by the median time" in shown(organiser_client.get(path))


def test_a_comparison_that_found_nothing_says_so(path, organiser_client, made):
    assert "no differences" not in shown(organiser_client.get(path))
    Launch.objects.update(reconciled_at=timezone.now())
    assert "no differences" in shown(organiser_client.get(path))
    Launch.objects.update(differences=["One is missing."])
    content = markup(organiser_client.get(path))
    assert "One is missing." in content
    assert "no differences" not in content


def test_low_pay_is_said_of_invited_people_too_unless_it_is_paid_apart():
    [warning] = pay_warnings(Decimal("3.96"), invite.FACTS)
    assert "about 3.96 USD an hour, less than the 7.25 USD" in warning
    assert pay_warnings(Decimal("0.00"), invite.FACTS) == ()
