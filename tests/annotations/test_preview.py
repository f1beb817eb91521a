"""Previews look like the page and hold nothing that could save."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from annotations.models import Annotator, Assignment, Rating
from annotations.samples import SAMPLE_TEXTS
from annotations.services.assignments import batches_open
from tests.annotations.person import ORIGIN, body, crowd_link
from tests.pages import text_of

PREVIEW = "?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=3H"


@pytest.fixture
def turk_path(campaign):
    batches_open(campaign=campaign)
    return crowd_link(campaign)


@pytest.fixture
def hit_path(campaign):
    hit = campaign.batches.get().hits.get()
    return f"/campaigns/{campaign.slug}/hits/{hit.pk}/preview/"


def work_of(response):
    return json.loads(re.search(r'id="work"[^>]*>(.*?)</script>', text_of(response))[1])


@pytest.mark.parametrize("query", [PREVIEW, "", "?hitId=3H"])
def test_a_marketplace_preview_shows_sample_captions_of_no_hit(turk_path, query):
    work = work_of(Client().get(turk_path + query))
    assert work["preview"] is True
    assert [item["text"] for item in work["items"]] == list(SAMPLE_TEXTS)


def test_a_preview_holds_no_token_no_endpoint_and_no_receipt(turk_path):
    work = work_of(Client().get(turk_path + PREVIEW))
    assert (work["token"], work["endpoints"]) == ("", {})
    assert not any("receipt" in item for item in work["items"])


def test_a_preview_takes_nothing_even_when_something_is_posted(turk_path):
    client = Client(HTTP_ORIGIN=ORIGIN)
    client.post(turk_path + PREVIEW)
    refused = client.post("/rate/save", json.dumps(body("0.0:x")), "application/json")
    assert refused.status_code == 403
    assert not Rating.objects.exists()
    assert not Annotator.objects.exists()
    assert Assignment.objects.get().state == Assignment.State.OPEN


def test_the_organiser_can_rate_a_whole_hit_and_leaves_no_trace(campaign, hit_path, client_of):
    response = client_of(campaign.owner).get(hit_path)
    work = work_of(response)
    items = campaign.batches.get().hits.get().items.order_by("position")
    assert [item["text"] for item in work["items"]] == [item.text for item in items]
    assert (work["preview"], work["token"]) == (True, "")
    assert "frame-ancestors 'none'" in response["Content-Security-Policy"]
    assert work["endpoints"] == {}
    assert not Assignment.objects.exists()
    assert not Rating.objects.exists()


def test_a_stranger_is_refused_the_preview(hit_path, client_of, stranger):
    assert client_of(stranger).get(hit_path).status_code == 404


def test_somebody_not_logged_in_is_sent_to_log_in(hit_path):
    assert Client().get(hit_path).status_code == 302
