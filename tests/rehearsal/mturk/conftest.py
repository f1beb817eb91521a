"""A marketplace behind a port for every test, an unmodified boto3, and workers."""

from __future__ import annotations

import pytest

from rehearsal.mturk.server import running
from rehearsal.mturk.service import MarketService
from rehearsal.mturk.worker_client import WorkerClient
from tests.rehearsal.mturk.market import KEYS, Watch, boto


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def server(watch):
    with running(MarketService(clock=watch, seed="test"), KEYS) as server:
        yield server


@pytest.fixture
def client(server):
    return boto(server)


@pytest.fixture
def worker(server):
    clients = []

    def make(name: str = "AWORKER1", **record: str) -> WorkerClient:
        one = WorkerClient(server.origin, name)
        one.sign_in(**record)
        clients.append(one)
        return one

    yield make
    for one in clients:
        one.close()
