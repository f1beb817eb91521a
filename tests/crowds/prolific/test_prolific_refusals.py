"""What cannot work is refused in a sentence, before anything is sent."""

from __future__ import annotations

import datetime as dt
import logging
import re
from decimal import Decimal

import pytest

from crowds.gateway import (
    Bonus,
    HitSpec,
    NotFound,
    PermanentFault,
    Requirements,
    TransientFault,
)
from crowds.prolific.account import Account
from crowds.prolific.client import Client
from crowds.prolific.gateway import ProlificGateway
from crowds.registry import connect
from tests.services import free_port

HIT = "https://da.example/rate/enter/1/"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"places": ()}, "There is no HIT to offer."),
        ({"places": (HitSpec("hit-1", HIT, 0),)}, "HIT hit-1 is offered to nobody"),
        ({"places": (HitSpec("hit-1", HIT, 1),) * 2}, "The study contains a HIT twice."),
        (
            {"places": (HitSpec("hit-1", "http://da.example/", 1),)},
            "Prolific sends people to https addresses only",
        ),
        ({"reward": Decimal("0")}, "A reward of 0 USD cannot be paid"),
        ({"reward": Decimal("4.005")}, "A reward of 4.005 USD cannot be paid"),
        (
            {"reward": Decimal("0.99")},
            "Prolific wants 8.00 USD an hour at least: 0.99 for 30 minutes is 1.98.",
        ),
        ({"minutes_expected": 0}, "Say how many minutes a HIT takes."),
        ({"minutes_allowed": 60}, "Prolific wants 73 minutes allowed for a task of 30"),
        ({"auto_approval": dt.timedelta(days=22)}, "approves automatically after 21 days"),
        ({"codes": None}, "Prolific brings people back by completion codes"),
        ({"title": " "}, "Prolific shows people a title and a description"),
        ({"requirements": Requirements(countries=("XX",))}, "cannot be asked for people in XX"),
    ],
)
def test_it_refuses_an_offer_prolific_would_not_take(
    gateway, stand_in, make_offer, changes, sentence
):
    spec = make_offer(**changes)
    for refuse in (gateway.check, lambda spec: gateway.publish(spec, key="k")):
        with pytest.raises(PermanentFault, match=re.escape(sentence)):
            refuse(spec)
    assert stand_in.calls == []


def test_it_refuses_an_offer_nobody_could_take(gateway, make_offer):
    with pytest.raises(PermanentFault, match="Nobody is on the list “passed” yet"):
        gateway.check(make_offer(only=("passed",)))


def test_it_refuses_an_offer_the_balance_does_not_cover(gateway, market, make_offer):
    market.total_balance = 4_199
    with pytest.raises(
        PermanentFault, match=r"costs 42\.00 USD, but the Prolific workspace has 41\.99 USD"
    ):
        gateway.check(make_offer())
    market.total_balance = 4_200
    gateway.check(make_offer())


def test_a_draft_there_is_no_money_for_is_published_when_there_is(gateway, market, make_offer):
    market.total_balance = 0
    with pytest.raises(PermanentFault, match="enough balance"):
        gateway.publish(make_offer(), key="k")
    assert gateway.find(make_offer().reference) is None
    market.total_balance = 10_000
    gateway.publish(make_offer(), key="k")
    assert len(market.studies) == 1


def test_it_refuses_a_workspace_in_another_currency(gateway, market, make_offer):
    market.currency = "GBP"
    with pytest.raises(PermanentFault, match="workspace pays in GBP, PROLIFIC_CURRENCY says USD"):
        gateway.check(make_offer())


def test_it_refuses_an_unknown_workspace(account, make_offer):
    stranger = Account(token=account.token, workspace="other", api=account.api)
    with pytest.raises(PermanentFault, match="no such workspace"):
        ProlificGateway(stranger).check(make_offer())


def test_it_says_that_a_token_is_wrong_and_never_shows_it(stand_in, make_offer, caplog):
    caplog.set_level(logging.DEBUG)
    account = Account(token="a-very-secret-word", workspace="workspace", api=stand_in.address)
    gateway = ProlificGateway(account)
    with pytest.raises(PermanentFault, match=r"does not accept the API token") as refusal:
        gateway.check(make_offer())
    shown = f"{caplog.text}{refusal.value!r}{account!r}{gateway!r}{vars(gateway)!r}"
    assert "a-very-secret-word" not in shown


def test_it_says_that_prolific_is_down(make_offer, pauses):
    address = f"http://127.0.0.1:{free_port()}"
    client = Client(token="t", address=address, sleep=pauses.append)
    gateway = ProlificGateway(Account(token="t", workspace="w", api=address), client)
    with pytest.raises(TransientFault, match="cannot be reached"):
        gateway.check(make_offer())
    assert pauses == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("category", "reason", "sentence"),
    [
        ("FAILED_CHECK", "x" * 100, "low quality statistic: approve it"),
        ("", "x" * 100, "Choose one of Prolific's categories"),
        ("BORING", "x" * 100, "Choose one of Prolific's categories"),
        ("LOW_EFFORT", "x" * 99, "100 characters at least"),
        ("LOW_EFFORT", "x" + " " * 99, "100 characters at least"),
    ],
)
def test_it_refuses_a_rejection_against_prolific_s_rules(
    gateway, stand_in, category, reason, sentence
):
    with pytest.raises(PermanentFault, match=sentence):
        gateway.reject("study", "submission", reason=reason, category=category, key="k")
    assert stand_in.calls == []


@pytest.mark.parametrize("amount", ["0", "-1", "0.005", "1.001"])
def test_it_refuses_an_odd_bonus(gateway, stand_in, amount):
    bonus = Bonus("submission", "study", "person", Decimal(amount), "Thank you")
    with pytest.raises(PermanentFault, match="whole cents"):
        gateway.bonus(bonus, key="k")
    assert stand_in.calls == []


def test_a_submission_nobody_made_is_not_found(gateway):
    with pytest.raises(NotFound):
        gateway.submission("forged")


def test_a_submission_says_whose_and_of_which_study_it_is(gateway, market, make_offer):
    study = gateway.publish(make_offer(), key="k").external_id
    one = market.begin(study, "anna")
    found = gateway.submission(one.id)
    assert (found.person, found.publication) == ("anna", study)


def test_nobody_is_written_to_before_there_is_a_study(gateway):
    with pytest.raises(PermanentFault, match="there is none yet"):
        gateway.message(["anna"], subject="Hello", text="You there?", key="k")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("PROLIFIC_TOKEN", "", "No API token"),
        ("PROLIFIC_WORKSPACE", "", "No Prolific workspace"),
        ("PROLIFIC_URL", "http://api.prolific.com", "must be an https address"),
        ("PROLIFIC_DEVICES", ["phone"], "desktop, tablet, mobile"),
        ("PROLIFIC_PARAMETERS", ["PID"], "has three words"),
    ],
)
def test_it_refuses_settings_that_cannot_work(settings, name, value, sentence):
    settings.PROLIFIC_TOKEN, settings.PROLIFIC_WORKSPACE = "t", "w"
    setattr(settings, name, value)
    with pytest.raises(PermanentFault, match=sentence):
        connect("prolific")


def test_the_settings_make_a_gateway(settings):
    settings.PROLIFIC_TOKEN, settings.PROLIFIC_WORKSPACE = "t", "w"
    settings.PROLIFIC_PARAMETERS = ["participantId", "projectId", "assignmentId"]
    account = connect("prolific").account
    assert account.completion_page("A B") == (
        "https://app.prolific.com/submissions/complete?cc=A%20B"
    )
    assert "?participantId={{%PROLIFIC_PID%}}&projectId=" in account.hit_address(
        HitSpec("hit-1", HIT, 1)
    )
