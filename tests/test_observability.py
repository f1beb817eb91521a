"""Logs and measurements: enough to know what happens, nothing to know who did it."""

from __future__ import annotations

import io
import json
import logging
import logging.config

import httpx
import pytest
from celery import shared_task
from django.test import Client

from analysis.models import Export
from crowds.gateway import CrowdError, PermanentFault, TransientFault
from crowds.models import Invitation
from crowds.registry import guarded
from daplatform import logs
from hits.models import Upload
from tests.annotations.person import Person, invite, link
from tests.crowd import FakeGateway, Marketplace
from tests.factories import make_campaign, make_hit
from tests.pages import text_of

pytestmark = pytest.mark.django_db
TOKEN = "a-token-for-prometheus"


@pytest.fixture
def lines():
    """What would stand in the log of a server, as objects."""
    stream = io.StringIO()
    configuration = logs.configuration(level="INFO", readable=False)
    configuration["handlers"]["console"]["stream"] = stream
    root = logging.getLogger()
    before = root.handlers[:], root.level
    logging.config.dictConfig(configuration)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.handlers[:], root.level = before


@pytest.fixture
def anna(organiser):
    campaign = make_campaign(owner=organiser)
    make_hit(campaign)
    return invite(campaign, "anna@example.org")


def test_each_request_leaves_one_line_with_its_route_and_name(lines):
    response = Client().get("/healthz", headers={"X-Request-ID": "from-the-proxy-1"})
    [line] = [line for line in lines() if line["event"] == "request"]
    assert line["route"] == "healthz"
    assert (line["method"], line["status"]) == ("GET", 200)
    assert line["request_id"] == response["X-Request-ID"] == "from-the-proxy-1"
    assert line["ms"] >= 0


def test_methods_that_strangers_invent_are_counted_together(lines):
    for method in ("BREW", "WHEN"):
        Client().generic(method, "/healthz")
    assert [line["method"] for line in lines() if line["event"] == "request"] == ["OTHER"] * 2


@pytest.mark.parametrize("name", ["short", "x" * 65, "with\nnewline-in-it", "<script>alert"])
def test_a_name_that_could_do_harm_is_replaced(name):
    assert Client().get("/healthz", headers={"X-Request-ID": name})["X-Request-ID"] != name


def test_calls_to_a_crowd_leave_no_address_in_the_log(lines):
    """Prolific's addresses carry the ids of studies, submissions and people."""
    answer = httpx.MockTransport(lambda request: httpx.Response(200, json={}))
    httpx.Client(transport=answer).get("https://crowd.example/submissions/5f1e0b")
    assert lines() == []


def test_logs_carry_no_tokens_ids_or_texts(lines, anna):
    person = Person(link(anna))
    person.save(0)
    Client().get(link(anna) + "broken")
    Client(raise_request_exception=False).post("/rate/save", b"nonsense", "application/json")
    Client().post("/accounts/login/", {"username": "anna@example.org", "password": "guess"})
    written = json.dumps(lines())
    token = link(anna).split("/")[-2]
    assert "crowds:enter" in written
    for secret in (token, token[:20], "anna@example.org", "guess"):
        assert secret not in written
    for caption in anna.campaign.videos.values_list("captions__text", flat=True):
        assert caption not in written


def test_an_error_is_written_down_without_its_address(lines, monkeypatch, anna):
    def fail(*args, **kwargs):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("crowds.views.entry.entry_campaign", fail)
    address = link(anna)
    Client(raise_request_exception=False).get(address)
    [error] = [line for line in lines() if line["level"] == "error"]
    assert "the disk is full" in error["exception"]
    assert address.split("/")[-2] not in json.dumps(error)
    assert error["request_id"]


def test_a_task_says_which_request_asked_for_it(lines):
    @shared_task(name="tests.say_hello")
    def say_hello():
        logging.getLogger("tests").info("hello")

    say_hello.apply(headers={"request_id": "asked-for-it"})
    [hello] = [line for line in lines() if line["event"] == "hello"]
    assert hello["request_id"] == "asked-for-it"
    assert hello["task"] == "tests.say_hello"
    [ended] = [line for line in lines() if line["event"] == "task"]
    assert ended["outcome"] == "success"


@pytest.mark.parametrize("header", [None, "Bearer wrong", f"Basic {TOKEN}", TOKEN])
def test_measurements_are_for_holders_of_the_token(settings, header):
    settings.METRICS_TOKEN = TOKEN
    headers = {"Authorization": header} if header else {}
    assert Client().get("/metrics", headers=headers).status_code == 404


def test_without_a_token_there_are_no_measurements(settings):
    settings.METRICS_TOKEN = ""
    assert Client().get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.fixture
def measure(settings):
    """The measurements as they stand, by name."""
    settings.METRICS_TOKEN = TOKEN
    client = Client(headers={"Authorization": f"Bearer {TOKEN}"})

    def read() -> dict[str, str]:
        lines = text_of(client.get("/metrics")).splitlines()
        return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))

    return read


def test_measurements_say_what_waits_and_how_fast_ratings_are_saved(measure, anna, organiser):
    Upload.objects.create(owner=organiser, filename="a.zip")
    Export.objects.create(
        campaign=anna.campaign, requested_by=organiser, name="ratings", choices={}, rows=1
    )
    Person(link(Invitation.objects.get())).save(0)
    values = measure()
    assert values['da_waiting{queue="uploads"}'] == "1.0"
    assert float(values['da_waiting_oldest_seconds{queue="uploads"}']) >= 0
    assert values['da_waiting{queue="exports"}'] == "1.0"
    assert (
        values['da_waiting{queue="evaluations"}'] == values['da_waiting{queue="batches"}'] == "0.0"
    )
    assert values['da_assignments{state="active"}'] == "1.0"
    saved = 'da_request_seconds_count{method="POST",route="annotations:rating-create",status="2xx"}'
    assert float(values[saved]) >= 1


@pytest.mark.parametrize(
    ("fault", "counted"),
    [
        (TransientFault("Busy."), "TransientFault"),
        (PermanentFault("Never."), "PermanentFault"),
        (KeyError("HITs"), "UnclearOutcome"),  # an answer that makes no sense
    ],
)
def test_calls_to_a_crowd_that_fail_are_counted(measure, fault, counted):
    market = Marketplace()
    market.break_next("expire", "before", fault)
    name = f'da_crowd_faults_total{{crowd="mturk",fault="{counted}"}}'
    before = float(measure().get(name, 0))
    with pytest.raises(CrowdError):
        guarded(FakeGateway(market)).expire("P1", key="k")
    assert float(measure()[name]) == before + 1
