"""Sessions, cookies and headers, as OWASP's ASVS asks of level 2."""

from __future__ import annotations

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from daplatform import settings as platform_settings
from hits.views import campaigns
from tests.pages import shown

LOGIN, HOME = reverse("login"), reverse("hits:campaign-list")
SESSION, CSRF = django_settings.SESSION_COOKIE_NAME, django_settings.CSRF_COOKIE_NAME


@pytest.fixture
def logged_in(organiser) -> Client:
    client = Client()
    client.get(LOGIN)
    client.post(LOGIN, {"username": organiser.username, "password": "secret-word"})
    return client


def with_session(value: str) -> Client:
    client = Client()
    client.cookies[SESSION] = value
    return client


def test_logging_in_gives_a_session_that_nobody_knew_before(organiser):
    client = Client()
    session = client.session
    session["planted"] = True
    session.save()
    known = session.session_key
    client.cookies[SESSION] = known
    client.post(LOGIN, {"username": organiser.username, "password": "secret-word"})
    assert client.cookies[SESSION].value != known
    assert with_session(known).get(HOME).status_code == 302


def test_a_session_that_was_ended_cannot_be_used_again(logged_in):
    stolen = logged_in.cookies[SESSION].value
    assert with_session(stolen).get(HOME).status_code == 200
    logged_in.post(reverse("logout"))
    assert with_session(stolen).get(HOME).status_code == 302


def test_a_new_password_ends_all_other_sessions(logged_in, organiser, client_of):
    elsewhere = client_of(organiser)
    new = "quite-another-word"
    data = {"old_password": "secret-word", "new_password1": new, "new_password2": new}
    logged_in.post(reverse("password_change"), data)
    assert logged_in.get(HOME).status_code == 200
    assert elsewhere.get(HOME).status_code == 302


def test_a_session_lasts_a_working_day(logged_in):
    assert logged_in.cookies[SESSION]["max-age"] == 12 * 60 * 60


def test_a_session_that_no_database_can_be_asked_for_is_refused(db):
    answer = Client().get(HOME, headers={"Cookie": f'{SESSION}="\\000 and something"'})
    assert answer.status_code == 400


def test_an_account_that_was_closed_is_out_at_once(logged_in, organiser):
    organiser.is_active = False
    organiser.save()
    assert logged_in.get(HOME).status_code == 302


@pytest.mark.parametrize("name", [SESSION, CSRF])
def test_cookies_are_for_this_site_and_not_for_scripts(logged_in, name):
    logged_in.get(HOME)
    cookie = logged_in.cookies[name]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["domain"] == ""


def test_over_https_cookies_stay_there_and_browsers_come_back_to_it(db, settings):
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = True
    settings.CSRF_COOKIE_SECURE, settings.SECURE_HSTS_SECONDS = True, 31_536_000
    assert Client().get(LOGIN).url == f"https://testserver{LOGIN}"
    page = Client().get(LOGIN, secure=True)
    assert page.cookies[CSRF]["secure"]
    assert page["Strict-Transport-Security"].startswith("max-age=31536000")


@pytest.mark.parametrize("address", [LOGIN, HOME, "/nowhere/", "/api/", "/healthz"])
def test_every_answer_is_guarded(logged_in, address):
    answer = logged_in.get(address)
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "unsafe" not in answer["Content-Security-Policy"]
    assert "Server" not in answer
    assert "X-Powered-By" not in answer


def test_no_proxy_keeps_what_somebody_logged_in_sees(logged_in):
    assert logged_in.get(HOME)["Cache-Control"] == "private, no-cache"
    assert "no-store" in Client().get("/rate/enter/nonsense/")["Cache-Control"]


def test_a_fault_tells_a_visitor_nothing_about_itself(logged_in, monkeypatch):
    def fail(*_):
        raise RuntimeError("the password is swordfish")

    monkeypatch.setattr(campaigns, "render", fail)
    logged_in.raise_request_exception = False
    answer = logged_in.get(HOME)
    assert answer.status_code == 500
    assert "swordfish" not in shown(answer)
    assert "Traceback" not in shown(answer)


@pytest.mark.parametrize("password", ["short-words", "123456789012", "password1234"])
def test_a_password_has_twelve_characters_and_is_not_a_common_one(password):
    with pytest.raises(ValidationError):
        validate_password(password)


def test_passwords_are_kept_with_argon2():
    """The tests themselves use something cheaper; this is what the platform says."""
    assert platform_settings.PASSWORD_HASHERS[0].endswith("Argon2PasswordHasher")


def test_a_long_password_of_any_characters_is_taken():
    validate_password("ein sehr langes Wort mit ü, 漢字 und 🐎 " * 3)


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND"])
def test_other_methods_do_nothing(logged_in, method):
    assert logged_in.generic(method, reverse("logout")).status_code == 405
