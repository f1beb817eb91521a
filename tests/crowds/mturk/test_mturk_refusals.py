"""What is refused before anything is sent, in one sentence."""

from __future__ import annotations

import dataclasses
import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowds.gateway import (
    HitSpec,
    PermanentFault,
    Requirements,
    TransientFault,
)
from crowds.mturk.account import Account
from crowds.mturk.calling import Caller
from crowds.mturk.gateway import MTurkGateway
from crowds.mturk.money import price_of
from crowds.registry import connect
from rehearsal.mturk.money import fee_rate, with_fee
from rehearsal.mturk.signature import Keys
from tests.crowds.mturk.conftest import account_at, spec
from tests.rehearsal.mturk.market import KEYS

GOOD = {
    "endpoint": "http://localhost:8001",
    "region": "us-east-1",
    "access_key": "AK",
    "secret_key": "SK",
    "is_open": False,
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"endpoint": ""}, "rehearse"),
        ({"endpoint": "somewhere"}, "MTURK_ENDPOINT_URL must be"),
        ({"endpoint": "http://[::1"}, "MTURK_ENDPOINT_URL must be"),
        ({"endpoint": "http://turk.example"}, "https"),
        ({"endpoint": "production"}, "closed Mechanical Turk .* 30 September 2026"),
        ({"endpoint": "sandbox"}, "MTURK_IS_OPEN_TO_ME"),
        ({"region": "mars-north-1"}, "no region “mars-north-1”"),
        ({"access_key": ""}, "keys are missing"),
        ({"secret_key": ""}, "keys are missing"),
    ],
)
def test_settings_that_cannot_work_are_named(change, words):
    with pytest.raises(PermanentFault, match=words) as caught:
        Account.read(**GOOD | change)
    assert str(caught.value).count(". ") == 0


def test_amazons_own_hosts_are_called_by_those_who_say_they_may():
    account = Account.read(**GOOD | {"endpoint": "sandbox", "is_open": True})
    assert account.endpoint == "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
    assert account.worker_site == "https://workersandbox.mturk.com"


def test_the_settings_make_the_gateway(settings, server):
    settings.MTURK_ENDPOINT_URL = server.origin
    settings.MTURK_ACCESS_KEY_ID, settings.MTURK_SECRET_ACCESS_KEY = KEYS.access, KEYS.secret
    gateway = connect("mturk")
    assert gateway.balance() == Decimal("10000.00")
    assert connect("mturk").account is gateway.account  # made once
    assert "secret" not in repr(gateway.account)


LONG = "x" * 3000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"title": LONG}, "title has 3000 characters"),
        ({"title": " "}, "needs a title"),
        ({"description": LONG}, "description"),
        ({"keywords": (LONG,)}, "keywords"),
        ({"reference": "r" * 250}, "cannot be kept"),
        ({"reference": "a|b"}, "cannot be kept"),
        ({"reward": Decimal("0")}, "below Mechanical Turk's minimum"),
        ({"reward": Decimal("0.505")}, "whole cents"),
        ({"lifetime": dt.timedelta(seconds=29)}, "time to take"),
        ({"lifetime": dt.timedelta(days=366)}, "time to take"),
        ({"minutes_allowed": 0}, "time to finish"),
        ({"auto_approval": dt.timedelta(days=31)}, "30 days"),
        ({"places": ()}, "one HIT at a time"),
        ({"places": (HitSpec("a", "https://a.example", 0),)}, "at least one person"),
        ({"places": (HitSpec("a", "https://a.example/" + 30 * LONG, 1),)}, "too long"),
        ({"requirements": Requirements(approval_rate=101)}, "approval rate"),
        ({"requirements": Requirements(approved=-1)}, "approved HITs"),
        ({"requirements": Requirements(countries=("Atlantis",))}, "not a two-letter country code"),
        ({"requirements": Requirements(countries=("DE",) * 31)}, "30 countries"),
        ({"only": ("a", "b")}, "one list"),
        ({"without": tuple("abcdefghijk")}, "10 requirements"),
        ({"reward": Decimal("5000")}, "account at Mechanical Turk has"),
    ],
)
def test_an_offer_that_would_be_refused_is_not_sent(gateway, server, change, words):
    with pytest.raises(PermanentFault, match=words):
        gateway.check(spec(**change))
    assert server.service.market.hits == {}
    assert "CreateHIT" not in "".join(server.service.calls)


def test_a_good_offer_passes(gateway):
    gateway.check(spec())
    assert gateway.facts.needs_https is False  # a rehearsal on this machine
    local = HitSpec("a", "http://127.0.0.1:8000/rate/", 1)
    gateway.check(spec(places=(local,)))


def test_a_page_without_https_is_offered_on_this_machine_only():
    elsewhere = MTurkGateway(Account("https://market.example", "us-east-1", "AK", "SK"))
    assert elsewhere.facts.needs_https is True
    with pytest.raises(PermanentFault, match="https only"):
        elsewhere.check(spec(places=(HitSpec("a", "http://a.example", 1),)))


def test_wrong_keys_are_told_as_such(server):
    account = dataclasses.replace(account_at(server), secret_key=Keys("", "wrong").secret)
    with pytest.raises(PermanentFault, match="refused the credentials"):
        MTurkGateway(account).check(spec())


def test_an_endpoint_that_is_down_is_told_as_such():
    account = Account("http://localhost:9", "us-east-1", "AK", "SK")
    with pytest.raises(TransientFault, match="no answer from http://localhost:9"):
        MTurkGateway(account).check(spec())


def test_a_listing_that_leads_back_to_itself_is_not_read_for_ever(server, monkeypatch):
    same = {"HITs": [], "NextToken": "the same"}
    monkeypatch.setattr(Caller, "__call__", lambda *asked, **request: same)
    with pytest.raises(ValueError, match="is this one"):
        list(Caller(account_at(server)).answers("list_hits"))


@given(
    reward=st.decimals(Decimal("0.01"), Decimal("99"), places=2),
    people=st.integers(min_value=1, max_value=30),
)
def test_the_price_is_what_the_marketplace_takes(reward: Decimal, people: int):
    priced = price_of(dataclasses.replace(spec(people=people), reward=reward))
    assert priced.total == people * with_fee(reward, fee_rate(people))
