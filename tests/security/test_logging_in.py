"""Many log-ins: an address waits, few passwords are checked at once, known browsers get in."""

from __future__ import annotations

import os

import pytest
import time_machine
from django.contrib.auth.hashers import Argon2PasswordHasher as DjangosHasher
from django.core.cache import cache
from django.test import Client

from daplatform.logging_in import SLOTS, Argon2PasswordHasher, Busy
from daplatform.throttling import WINDOW, address_prefix
from tests.pages import markup

LOGIN, ADMIN_LOGIN = "/accounts/login/", "/admin/login/"
ALLOWED = 3


@pytest.fixture(autouse=True)
def three_a_minute(settings):
    settings.LOGINS_PER_MINUTE = ALLOWED
    cache.clear()
    with time_machine.travel("2026-11-16T12:00:01Z") as traveller:
        yield traveller


def log_in(name: str, password: str = "wrong", *, client: Client | None = None, to: str = LOGIN):
    return (client or Client()).post(to, {"username": name, "password": password})


def flood(*, to: str = LOGIN, **extra: str) -> list[int]:
    names = [f"nobody-{number}" for number in range(ALLOWED + 2)]
    return [log_in(name, client=Client(**extra), to=to).status_code for name in names]


@pytest.mark.parametrize("to", [LOGIN, ADMIN_LOGIN])
def test_an_address_has_to_wait_whatever_names_it_tries(db, to):
    assert flood(to=to) == [200] * ALLOWED + [429] * 2
    waiting = log_in("one-more", to=to)
    assert waiting["Retry-After"] == str(WINDOW)
    assert "Wait a moment" in markup(waiting)


def test_both_doors_count_together(db):
    assert flood()[-1] == 429
    assert log_in("nobody", to=ADMIN_LOGIN).status_code == 429


def test_a_minute_later_one_may_try_again(organiser, three_a_minute):
    assert flood()[-1] == 429
    assert log_in(organiser.username, "secret-word").status_code == 429
    three_a_minute.shift(WINDOW)
    assert log_in(organiser.username, "secret-word").status_code == 302


def test_the_page_itself_and_other_addresses_are_open_to_all(organiser):
    assert flood()[-1] == 429
    assert Client().get(LOGIN).status_code == 200
    elsewhere = Client(REMOTE_ADDR="192.0.2.9")
    assert log_in(organiser.username, "secret-word", client=elsewhere).status_code == 302


def test_a_known_browser_gets_in_beside_a_flood_from_its_address(organiser):
    browser = Client()
    assert log_in(organiser.username, "secret-word", client=browser).status_code == 302
    cookie = browser.cookies["known_browser"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert organiser.username not in cookie.value
    browser.post("/accounts/logout/")
    assert flood()[-1] == 429
    assert log_in(organiser.username, "secret-word", client=browser).status_code == 302


def test_a_known_browser_is_known_for_one_name_and_not_for_ever(organiser, analyst):
    browser = Client()
    log_in(organiser.username, "secret-word", client=browser)
    browser.post("/accounts/logout/")
    assert flood()[-1] == 429
    assert log_in(analyst.username, "secret-word", client=browser).status_code == 429
    tries = [log_in(organiser.username, client=browser).status_code for _ in range(ALLOWED + 1)]
    assert tries == [200] * ALLOWED + [429]


def test_an_invented_mark_helps_nobody(organiser):
    browser = Client()
    browser.cookies["known_browser"] = "f" * 64
    assert flood()[-1] == 429
    assert log_in(organiser.username, "secret-word", client=browser).status_code == 429


@pytest.mark.parametrize(
    ("address", "prefix"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:0DB8:0001:0002::", "2001:db8:1:2::"),
    ],
)
def test_what_counts_as_one_visitor(address, prefix):
    assert address_prefix(address) == prefix


@pytest.mark.parametrize(
    "addresses",
    [
        [f"2001:db8::{number:x}" for number in range(1, ALLOWED + 2)],
        ["192.0.2.7", "::ffff:192.0.2.7", "::ffff:c000:207", "192.0.2.7"],
    ],
)
def test_one_visitor_with_many_addresses_counts_as_one(db, addresses):
    said = [log_in("nobody", client=Client(REMOTE_ADDR=place)).status_code for place in addresses]
    assert said == [200] * ALLOWED + [429]


def test_beyond_the_slots_a_log_in_is_refused_at_once_and_nothing_else_is(organiser, client_of):
    with SLOTS.one():
        busy = log_in(organiser.username, "secret-word")
        assert client_of(organiser).get("/campaigns/").status_code == 200
    assert (busy.status_code, busy["Retry-After"]) == (503, "5")
    assert "Your password was not checked" in markup(busy)
    assert log_in(organiser.username, "secret-word").status_code == 302


def is_refused_in_a_fork() -> bool:
    """Whether another process finds no slot."""
    pid = os.fork()
    if pid == 0:
        try:
            with SLOTS.one():
                os._exit(0)
        except Busy:
            os._exit(1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1


def test_processes_share_the_slots_and_one_that_dies_gives_its_own_back(settings):
    settings.LOGINS_AT_ONCE = 1
    holder_reads, holder_writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        with SLOTS.one():
            os.write(holder_writes, b"!")
            os.read(os.pipe()[0], 1)  # for ever
        os._exit(0)
    os.read(holder_reads, 1)
    with pytest.raises(Busy), SLOTS.one():
        pass
    settings.LOGINS_AT_ONCE = 2
    with SLOTS.one():
        pass
    settings.LOGINS_AT_ONCE = 1
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    assert not is_refused_in_a_fork()


def test_a_password_costs_what_a_small_machine_can_bear():
    kept = Argon2PasswordHasher().decode(Argon2PasswordHasher().encode("secret-word", "saltsalt"))
    assert (kept["memory_cost"], kept["time_cost"], kept["parallelism"]) == (19 * 1024, 2, 1)


def test_passwords_kept_before_still_hold_and_are_kept_anew(organiser, settings):
    settings.PASSWORD_HASHERS = ["daplatform.logging_in.Argon2PasswordHasher"]
    organiser.password = DjangosHasher().encode("secret-word", "saltsaltsalt")
    organiser.save()
    assert log_in(organiser.username, "secret-word").status_code == 302
    organiser.refresh_from_db()
    assert "m=19456,t=2,p=1" in organiser.password
    assert organiser.check_password("secret-word")
