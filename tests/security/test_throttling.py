"""Guessing links and keys is slowed down; sound ones work whatever their neighbours try."""

from __future__ import annotations

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client, RequestFactory

from analysis.services.keys import key_create
from daplatform.throttling import WINDOW, client_address, is_refused_too_often
from tests.annotations.person import Person, invite, link
from tests.factories import make_campaign, make_hit
from tests.pages import shown

BAD = {"X-Assignment": "guessed"}
ALLOWED = 3


@pytest.fixture(autouse=True)
def three_a_minute(settings):
    settings.REFUSALS_PER_MINUTE = ALLOWED
    cache.clear()
    with time_machine.travel("2026-11-16T12:00:01Z") as traveller:
        yield traveller


def tries(path: str, count: int = ALLOWED + 2, **headers: str) -> list[int]:
    return [Client().get(path, **headers).status_code for _ in range(count)]


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/rate/enter/guessed/", {}),
        ("/rate/join/guessed/", {}),
        ("/rate/work/guessed/", {}),
        ("/rate/done/guessed/", {}),
        ("/rate/state", {"headers": BAD}),
        ("/rate/item?position=0", {"headers": BAD}),
    ],
)
def test_guessed_links_have_to_wait(db, path, headers):
    assert tries(path, **headers) == [403] * ALLOWED + [429] * 2
    waiting = Client().get(path, **headers)
    assert waiting["Retry-After"] == str(WINDOW)
    assert "Wait a minute" in shown(waiting)


def test_guessed_keys_have_to_wait_and_true_ones_do_not(organiser):
    wrong = {"headers": {"Authorization": "Bearer da_guessed"}}
    assert tries("/api/campaigns", **wrong) == [401] * ALLOWED + [429] * 2
    assert Client().get("/api/campaigns", **wrong)["Retry-After"] == str(WINDOW)
    key = key_create(owner=organiser, name="script")
    true = {"headers": {"Authorization": f"Bearer {key}"}}
    assert tries("/api/campaigns", **true) == [200] * 5


def test_people_with_sound_links_never_wait_for_a_neighbour_who_guesses(db):
    campaign = make_campaign()
    make_hit(campaign)
    anna = Person(link(invite(campaign)))
    assert tries("/rate/enter/guessed/")[-1] == 429
    assert anna.save(0).status_code == 200
    assert anna.client.get(anna.page_path).status_code == 200
    nothing_left = Client().get(link(invite(campaign, "Ben")))
    assert nothing_left.status_code == 409


def test_a_minute_later_one_may_try_again(db, three_a_minute):
    assert tries("/rate/enter/guessed/")[-1] == 429
    three_a_minute.shift(WINDOW)
    assert tries("/rate/enter/guessed/", 1) == [403]


def test_another_address_is_not_made_to_wait(db):
    assert tries("/rate/enter/guessed/")[-1] == 429
    assert Client(REMOTE_ADDR="192.0.2.9").get("/rate/enter/guessed/").status_code == 403


def request_from(address: str, forwarded: str = ""):
    return RequestFactory().get("/", REMOTE_ADDR=address, HTTP_X_FORWARDED_FOR=forwarded)


def test_what_a_visitor_says_of_their_address_is_not_believed(settings):
    assert client_address(request_from("192.0.2.1", "198.51.100.7")) == "192.0.2.1"
    settings.BEHIND_PROXY = True
    assert client_address(request_from("", "203.0.113.5, 198.51.100.7")) == "198.51.100.7"


@pytest.mark.parametrize("told", ["", "unknown", "1.2.3.4:80", "' OR 1=1 --", "x" * 5000])
def test_an_address_that_is_none_is_nobody(settings, told):
    settings.BEHIND_PROXY = True
    assert client_address(request_from("", told)) is None


def test_a_household_with_many_addresses_counts_as_one():
    said = [is_refused_too_often(request_from(f"2001:db8::{number:x}")) for number in range(1, 7)]
    assert said == [False] * ALLOWED + [True] * 3
    assert not is_refused_too_often(request_from("2001:db8:0:1::1"))


def test_behind_the_proxy_a_lock_out_concerns_one_address_not_everybody(settings, organiser):
    """On a socket all requests come from the same nowhere: only the proxy can tell them apart."""
    settings.BEHIND_PROXY = True
    data = {"username": organiser.username, "password": "wrong"}
    for _ in range(settings.AXES_FAILURE_LIMIT):
        Client(HTTP_X_FORWARDED_FOR="198.51.100.7").post("/accounts/login/", data)
    data["password"] = "secret-word"
    locked = Client(HTTP_X_FORWARDED_FOR="198.51.100.7").post("/accounts/login/", data)
    free = Client(HTTP_X_FORWARDED_FOR="198.51.100.8").post("/accounts/login/", data)
    assert (locked.status_code, free.status_code) == (429, 302)
