"""Logging in and out, being locked out, changing one's password, and the pages for errors."""

from __future__ import annotations

import pytest
from django.template.loader import get_template
from django.test import Client
from django.urls import reverse

from tests.pages import markup, shown

LOGIN = reverse("login")
PASSWORD = reverse("password_change")
HOME = reverse("hits:campaign-list")


def log_in(client, user, password="secret-word", **data):
    return client.post(LOGIN, {"username": user.username, "password": password, **data})


def test_logging_in_leads_to_the_campaigns(client, organiser):
    assert log_in(client, organiser).url == HOME
    assert client.get(HOME).status_code == 200


def test_logging_in_leads_to_the_page_asked_for_but_never_off_the_site(client, organiser):
    assert log_in(client, organiser, next=PASSWORD).url == PASSWORD
    client.logout()
    assert log_in(client, organiser, next="https://evil.example/").url == HOME


def test_a_wrong_password_is_refused_in_words(client, organiser):
    response = log_in(client, organiser, "wrong")
    assert "correct username and password" in shown(response)
    assert "_auth_user_id" not in client.session


def test_too_many_wrong_passwords_lock_the_name_out(client, organiser, settings):
    for _ in range(settings.AXES_FAILURE_LIMIT):
        response = log_in(client, organiser, "wrong")
    assert response.status_code == 429
    assert "Too many wrong passwords" in shown(response)
    assert log_in(client, organiser).status_code == 429


def test_someone_logged_in_is_not_asked_again(client_of, organiser):
    assert client_of(organiser).get(LOGIN).url == HOME


def test_logging_out_takes_a_form_and_ends_the_session(client_of, organiser):
    client = client_of(organiser)
    assert client.get(reverse("logout")).status_code == 405
    assert client.post(reverse("logout")).url == LOGIN
    assert client.get(HOME).status_code == 302


def test_a_password_is_changed_by_who_knows_the_old_one(client_of, organiser):
    new = {"new_password1": "quite-another-word", "new_password2": "quite-another-word"}
    client = client_of(organiser)
    assert client.post(PASSWORD, new | {"old_password": "wrong"}).status_code == 200
    changed = client.post(PASSWORD, new | {"old_password": "secret-word"}, follow=True)
    assert "Password changed" in shown(changed)
    organiser.refresh_from_db()
    assert organiser.check_password("quite-another-word")


def test_a_weak_password_is_refused_in_words(client_of, organiser):
    data = {"old_password": "secret-word", "new_password1": "12345", "new_password2": "12345"}
    content = markup(client_of(organiser).post(PASSWORD, data))
    assert "too short" in content


def test_a_stranger_may_not_change_a_password(client):
    assert client.get(PASSWORD).url == f"{LOGIN}?next={PASSWORD}"


@pytest.mark.parametrize(
    "name", ["400.html", "403.html", "403_csrf.html", "404.html", "500.html", "503.html"]
)
def test_pages_for_errors_need_no_request(name):
    """Django renders some of them without a context, because there may be no session or user."""
    content = get_template(name).render()
    assert "Go to campaigns" in content


def test_a_page_that_is_not_there_is_said_so(client_of, organiser):
    response = client_of(organiser).get("/nowhere/")
    assert response.status_code == 404
    assert "Page not found" in shown(response)


def test_an_analyst_is_told_why_not(client_of, analyst):
    response = client_of(analyst).get(reverse("hits:upload-create"))
    assert response.status_code == 403
    assert f"({analyst.username}) does not have permission" in shown(response)


def test_a_form_sent_from_elsewhere_is_refused(organiser):
    client = Client(enforce_csrf_checks=True)
    response = log_in(client, organiser)
    assert response.status_code == 403
    assert "This form has expired" in shown(response)
