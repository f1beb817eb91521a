"""Marketplaces that answer nonsense, over real HTTP: nothing is done twice, nothing is lost."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator

import pytest
from django.utils import timezone

from crowds.gateway import TransientFault
from crowds.models import ExternalId, OutboxMessage, Submission
from crowds.registry import connect
from crowds.selectors.money import campaign_sums
from crowds.services.outbox import claims_lapse, outbox_run
from crowds.services.reviews import submissions_pay
from crowds.services.submissions import launch_sync
from crowds.tasks import launch_reconcile_task, launch_sync_task
from rehearsal.management.commands.rehearse import KEYS
from rehearsal.mturk.exchange import Call, Reply
from rehearsal.mturk.server import Server, running
from rehearsal.mturk.service import MarketService
from tests.crowd import launch
from tests.crowds.crowd_people import arrive, rate
from tests.crowds.test_outbox import SOON
from tests.factories import make_campaign, make_hit
from tests.malformed import other_types

pytestmark = pytest.mark.django_db
HUGE, DEEP = 3_000_000, 100_000
JSON_TYPE = "application/x-amz-json-1.1"


def wrong_types(body: bytes) -> bytes:
    whole = json.loads(body or b"{}")
    return json.dumps({name: other_types(value) for name, value in whole.items()}).encode()


def without_members(body: bytes) -> bytes:
    return json.dumps({name: {} for name in json.loads(body or b"{}")}).encode()


MALFORMED: dict[str, Callable[[bytes], bytes]] = {
    "html": lambda body: b"<html><body>Down for maintenance</body></html>",
    "nothing": lambda body: b"",
    "truncated": lambda body: body[: len(body) // 2],
    "a list": lambda body: b"[1, 2, 3]",
    "a string": lambda body: b'"ok"',
    "wrong types": wrong_types,
    "no members": without_members,
    "not text": lambda body: bytes(range(128, 256)),
    "deep": lambda body: b"[" * DEEP + b"]" * DEEP,
    "huge": lambda body: b'{"HIT": "' + b"x" * HUGE + b'"}',
}


class Babbler:
    """Stands before a marketplace's interface and spoils its answers for a while."""

    def __init__(self, server: Server) -> None:
        self.reply_truly = server.api.reply
        self.spoil: Callable[[bytes], bytes] | None = None
        server.api.reply = self.reply

    def reply(self, call: Call) -> Reply:
        true = self.reply_truly(call)
        if self.spoil is None:
            return true
        return Reply(true.status, self.spoil(true.body), JSON_TYPE, true.headers)


@pytest.fixture
def server() -> Iterator[Server]:
    with running(MarketService(seed="nonsense"), KEYS) as server:
        yield server


@pytest.fixture
def babbler(server, settings, impatient_botocore) -> Babbler:
    settings.MTURK_ENDPOINT_URL = server.origin
    settings.MTURK_ACCESS_KEY_ID, settings.MTURK_SECRET_ACCESS_KEY = KEYS.access, KEYS.secret
    settings.PUBLIC_URL = "https://study.example"
    return Babbler(server)


@pytest.fixture
def campaign(db):
    campaign = make_campaign(assignments=2)
    make_hit(campaign)
    return campaign


def work(times: int) -> None:
    """Time passes, and workers do what is due."""
    for step in range(times):
        now = timezone.now() + step * SOON
        claims_lapse(now=now)
        outbox_run(crowd="mturk", now=now)


def hand_in(server: Server, hit, person: str) -> None:
    """Somebody does the HIT, here and there."""
    name = ExternalId.objects.get(kind="publication").external_id
    accepted = server.service.act("accept", {"hit": name, "worker": person})["assignment"]
    rate(arrive(hit, person, accepted))
    server.service.act("submit", {"assignment": accepted, "fields": {"code": "C"}})


@pytest.mark.parametrize("kind", MALFORMED)
def test_everything_is_done_once_and_the_books_agree(server, babbler, campaign, kind):
    made = launch(campaign)
    babbler.spoil = MALFORMED[kind]
    work(2)
    assert set(OutboxMessage.objects.values_list("state", flat=True)) <= {
        "waiting",
        "unclear",
        "done",
    }
    babbler.spoil = None
    work(4)
    assert OutboxMessage.objects.get().state == "done"
    assert len(server.service.market.hits) == 1
    hand_in(server, campaign.batches.get().hits.get(), "A1")
    babbler.spoil = MALFORMED[kind]
    launch_sync_task(made.pk)
    launch_reconcile_task(made.pk)
    assert not Submission.objects.exclude(assignment__annotator__identity__external_id="A1")
    babbler.spoil = None
    launch_sync(launch=made)
    submissions_pay(campaign=campaign, submissions=list(Submission.objects.all()))
    babbler.spoil = MALFORMED[kind]
    work(2)
    babbler.spoil = None
    work(4)
    assert OutboxMessage.objects.exclude(state="done").count() == 0
    assert server.service.market.account.paid == campaign_sums(campaign).spent > 0


@pytest.mark.parametrize("kind", MALFORMED)
def test_only_words_for_the_organiser_leave_a_gateway(server, babbler, kind):
    gateway = connect("mturk")
    babbler.spoil = MALFORMED[kind]
    for read in (
        gateway.balance,
        lambda: gateway.find("da-1"),
        lambda: list(gateway.submissions(["H1"])),
        lambda: gateway.submission("A1"),
    ):
        with contextlib.suppress(TransientFault):  # nothing else may leave it
            read()


def test_a_gateway_that_understands_is_left_alone(server, babbler):
    assert connect("mturk").balance() > 0
    assert list(connect("mturk").publications("da-")) == []
