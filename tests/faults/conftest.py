"""A site with a database of its own, where PostgreSQL is installed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from rehearsal.management.commands.rehearse import KEYS
from rehearsal.mturk.server import Server, running
from rehearsal.mturk.service import MarketService
from tests.faults.brokers import Broker, RabbitBroker, RedisBroker
from tests.faults.stage import Stage, stage
from tests.services import POSTGRES_FOLDERS, program_or_skip


@pytest.fixture(scope="module")
def site() -> Iterator[Stage]:
    """One for all tests of a file, which serves its pages."""
    with stage_or_skip() as made:
        made.serve()
        yield made


@pytest.fixture
def fresh_site() -> Iterator[Stage]:
    """One for this test alone, which serves nothing yet."""
    with stage_or_skip() as made:
        yield made


@contextlib.contextmanager
def stage_or_skip(also: str = "") -> Iterator[Stage]:
    program_or_skip("initdb", *POSTGRES_FOLDERS)
    with stage(also) as made:
        yield made


@pytest.fixture
def marketplace() -> Iterator[Server]:
    with running(MarketService(seed="faults"), KEYS) as server:
        yield server


@pytest.fixture(scope="session")
def rabbitmq(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RabbitBroker]:
    """One for all tests: it takes seconds to start."""
    made = RabbitBroker(tmp_path_factory.mktemp("rabbitmq"))
    made.start()
    yield made
    made.kill()


@pytest.fixture(params=["redis", "rabbitmq"])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Broker]:
    """Each kind in turn, empty, and started again should a test have killed it."""
    if request.param == "rabbitmq":
        shared: RabbitBroker = request.getfixturevalue("rabbitmq")
        shared.start_or_forget()
        yield shared
        return
    made = RedisBroker(tmp_path)
    made.start()
    yield made
    made.kill()
