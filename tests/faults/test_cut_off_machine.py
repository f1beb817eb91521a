"""Workers on machines of their own; one is cut off in the middle. The others finish the work."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

import pytest

from rehearsal.management.commands.rehearse import KEYS, environment
from rehearsal.mturk.faults import Fault, Trouble
from rehearsal.mturk.server import running
from rehearsal.mturk.service import MarketService
from tests.faults.brokers import RedisBroker
from tests.faults.conftest import stage_or_skip
from tests.faults.crowd_stage import DONE, WAITING, ask, claims_are_old, wait_until, worker
from tests.faults.namespaces import NotPermitted, network

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
TIMES = int(os.environ.get("CHAOS_TIMES", "1"))


@pytest.fixture(params=range(TIMES))
def lan():
    try:
        with network() as made:
            yield made
    except NotPermitted as reason:
        pytest.skip(f"network namespaces cannot be made here: {reason}")


@pytest.fixture(params=["redis", "rabbitmq"])
def broker(request, lan, tmp_path):
    if request.param == "rabbitmq":
        shared = request.getfixturevalue("rabbitmq")  # answers at every address
        shared.start_or_forget()
        yield shared.url(lan.address)
        return
    made = RedisBroker(tmp_path, lan.address)
    made.start()
    yield made.url(lan.address)
    made.kill()


@pytest.fixture
def marketplace(lan, monkeypatch):
    monkeypatch.setattr("rehearsal.mturk.server.HOST", lan.address)
    with running(MarketService(seed="machines"), KEYS) as server:
        yield server


@pytest.fixture
def site(lan, broker, marketplace):
    """Its database answers every machine; its commands are given on one of them."""
    with stage_or_skip(also=lan.address) as made:
        made.environment |= environment(marketplace.origin) | {
            "DATABASE_URL": made.dsn.replace("127.0.0.1", lan.address),
            "CELERY_BROKER_URL": broker,
            "DJANGO_SETTINGS_MODULE": "tests.faults.hasty_settings",
        }
        made.inside = lan.on(lan.add())
        yield made


def reaches(lan, machine: str, port: int) -> bool:
    knock = f"import socket; socket.create_connection(('{lan.address}', {port}), 1)"
    command = [*lan.on(machine), sys.executable, "-c", knock]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_the_others_finish_what_a_machine_was_doing(site, lan, marketplace):
    site.links(1)
    marketplace.faults.add(Fault(Trouble.SLOW, "CreateHITWithHITType", times=100, seconds=2))
    first, second = lan.add(), lan.add()
    with contextlib.ExitStack() as stack:
        stack.enter_context(worker(site, beat=False, inside=lan.on(first)))
        site.run("-m", "tests.faults.launch")
        wait_until(lambda: ask(site, DONE) >= 1)
        there = len(marketplace.service.market.hits)
        wait_until(lambda: len(marketplace.service.market.hits) > there)
        lan.cut(first)  # its call has arrived, the answer does not
        marketplace.faults.clear()
        assert not reaches(lan, first, site.base.port)
        assert ask(site, WAITING) > 0
        stack.enter_context(worker(site, inside=lan.on(second)))
        claims_are_old(site)
        wait_until(lambda: ask(site, WAITING) == 0)
        lan.mend(first)  # it comes back, and finds everything done
        wait_until(lambda: reaches(lan, first, site.base.port))
    publications = ask(site, "SELECT count(*) FROM crowds_publication")
    assert len(marketplace.service.market.hits) == publications > 3
    assert "hold." in site.run("manage.py", "verify")
    site.run("manage.py", "reconcile")
