"""A stand-in for Prolific behind real HTTP, and a gateway that speaks to it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

import httpx
import pytest

from crowds.gateway import Codes, HitSpec, PublicationSpec
from crowds.prolific.account import Account
from crowds.prolific.client import Client
from crowds.prolific.gateway import ProlificGateway
from rehearsal.prolific import Market, StandIn
from rehearsal.prolific.market import Submission

Offers = Callable[..., PublicationSpec]


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = dt.datetime(2026, 11, 16, 9, tzinfo=dt.UTC)

    def __call__(self) -> dt.datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def market(clock: Clock) -> Market:
    return Market(clock=clock)


@pytest.fixture
def stand_in(market: Market) -> Iterator[StandIn]:
    with StandIn(market) as stand_in:
        yield stand_in


@pytest.fixture
def account(stand_in: StandIn) -> Account:
    return Account(
        token=stand_in.market.token,
        workspace="workspace",
        project="project",
        api=stand_in.address,
    )


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def client(account: Account, pauses: list[float]) -> Client:
    return Client(token=account.token, address=account.api, sleep=pauses.append)


@pytest.fixture
def impatient(account: Account) -> ProlificGateway:
    """A gateway that soon stops waiting for an answer."""
    timeout = httpx.Timeout(0.5)
    client = Client(token=account.token, address=account.api, timeout=timeout)
    return ProlificGateway(account, client)


@pytest.fixture
def gateway(account: Account, client: Client) -> ProlificGateway:
    return ProlificGateway(account, client)


@pytest.fixture
def make_offer() -> Offers:
    def make(hits: int = 2, people: int = 3, **changes: object) -> PublicationSpec:
        fields: dict[str, object] = {
            "reference": "campaign-1-batch-1",
            "title": "Rate captions of short videos",
            "description": "Watch short videos and say how well sentences describe them.",
            "reward": Decimal("5.00"),
            "minutes_expected": 30,
            "minutes_allowed": 180,
            "lifetime": dt.timedelta(days=7),
            "auto_approval": dt.timedelta(days=3),
            "codes": Codes(done="DONE1", no_consent="NOCON1", screened_out="SCREEN1"),
            "places": tuple(
                HitSpec(f"hit-{number}", f"https://da.example/rate/enter/{number}/", people)
                for number in range(1, hits + 1)
            ),
        }
        return PublicationSpec(**{**fields, **changes})

    return make


@pytest.fixture
def work(market: Market) -> Callable[..., list[Submission]]:
    """So many people take a place each and come back with a code."""

    def work(study: str, people: Iterable[int], *, code: str = "DONE1") -> list[Submission]:
        begun = [market.begin(study, f"person{number:03}") for number in people]
        for one in begun:
            market.complete(one.id, code)
        return begun

    return work
