"""A marketplace behind a port for every test, an unmodified boto3, and workers."""

from __future__ import annotations

import pytest

from hits.rehearsal.desk import Desk
from hits.rehearsal.server import running
from hits.rehearsal.worker_client import WorkerClient
from tests.hits.rehearsal.market import KEYS, Watch, boto


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def server(watch):
    with running(Desk(clock=watch, seed="test"), KEYS) as server:
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
