"""Launching while the marketplace hangs: the page gives up after one short try, and says so."""

from __future__ import annotations

import socket

import pytest
from django.urls import reverse

from crowds.gateway import CrowdError
from crowds.models import Launch
from crowds.mturk import calling
from crowds.mturk.gateway import gateway_to
from crowds.prolific import client as prolific_client
from crowds.registry import connect
from tests.crowds.test_crowd_pages import FORM
from tests.pages import shown

SECONDS = 0.2


@pytest.fixture
def silent(settings, monkeypatch):
    """Somebody who takes every call and never answers."""
    monkeypatch.setattr(calling, "HURRIED_SECONDS", SECONDS)
    monkeypatch.setattr(prolific_client, "HURRIED", prolific_client.httpx.Timeout(SECONDS))
    gateway_to.cache_clear()
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        settings.MTURK_ENDPOINT_URL = settings.PROLIFIC_URL = address
        settings.MTURK_ACCESS_KEY_ID = settings.MTURK_SECRET_ACCESS_KEY = "key"
        settings.PROLIFIC_TOKEN, settings.PROLIFIC_WORKSPACE = "token", "workspace"
        yield server
    gateway_to.cache_clear()


def calls(server) -> int:
    """How many have called so far."""
    count = 0
    while True:
        try:
            server.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


@pytest.mark.parametrize("crowd", ["mturk", "prolific"])
def test_a_hurried_question_is_asked_once(silent, crowd):
    with pytest.raises(CrowdError):
        connect(crowd, hurried=True).balance()
    assert calls(silent) == 1


def test_the_page_says_so_and_nothing_is_launched(campaign, silent, client_of):
    client = client_of(campaign.owner)
    page = reverse("crowds:launch-create", args=[campaign.slug, 1])
    answer = client.post(page, FORM | {"crowd": "mturk"})
    assert "Nothing was launched" in shown(answer)
    assert answer.status_code == 400
    assert not Launch.objects.exists()
    assert calls(silent) == 1
