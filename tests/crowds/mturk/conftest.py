"""The gateway, and a marketplace behind a port for it to call."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from crowds.gateway import HitSpec, PublicationSpec
from crowds.mturk.account import Account
from crowds.mturk.calling import Caller
from crowds.mturk.gateway import MTurkGateway
from rehearsal.mturk.server import running
from rehearsal.mturk.service import MarketService
from rehearsal.mturk.worker_client import WorkerClient
from tests.rehearsal.mturk.market import KEYS, Watch


def account_at(server) -> Account:
    return Account(server.origin, "us-east-1", KEYS.access, KEYS.secret)


def gateway_at(server) -> MTurkGateway:
    """Pauses between attempts are for marketplaces, not for tests."""
    account = account_at(server)
    return MTurkGateway(account, Caller(account, sleep=lambda _: None))


def spec(reference: str = "da-1", people: int = 2, **changes) -> PublicationSpec:
    url = f"https://study.example/rate/enter/{reference}/"
    wanted = {
        "reference": reference,
        "title": "Rate captions",
        "description": "Watch short videos and rate their captions.",
        "reward": Decimal("0.50"),
        "minutes_expected": 20,
        "minutes_allowed": 60,
        "lifetime": dt.timedelta(days=7),
        "auto_approval": dt.timedelta(days=3),
        "places": (HitSpec(f"hit-{reference}", url, people),),
    }
    return PublicationSpec(**wanted | changes)


@pytest.fixture
def watch() -> Watch:
    return Watch(dt.datetime.now(dt.UTC))


@pytest.fixture
def server(watch):
    with running(MarketService(clock=watch, seed="test"), KEYS) as server:
        yield server


@pytest.fixture
def gateway(server) -> MTurkGateway:
    return gateway_at(server)


@pytest.fixture
def work(server):
    """Let somebody do a HIT, or only accept it."""

    def do(hit: str, person: str = "A1", *, submits: bool = True) -> str:
        worker = WorkerClient(server.origin, person)
        worker.sign_in()
        assignment = worker.accept(hit)
        if submits:
            worker.submit(assignment, code=f"CODE{person}")
        worker.close()
        return assignment

    return do
