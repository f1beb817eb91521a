"""RabbitMQ takes a task from a worker that is busy for longer than its `consumer_timeout`."""

from __future__ import annotations

import re

import pytest

from rehearsal.management.commands.rehearse import environment
from rehearsal.mturk.faults import Fault, Trouble
from tests.faults.brokers import RabbitBroker
from tests.faults.crowd_stage import DONE, WAITING, ask, claims_are_old, wait_until, worker
from tests.faults.stage import ROOT
from tests.faults.test_killed_crowd_worker import assert_all_is_well

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
PAGE = (ROOT / "docs/operations.md").read_text("utf-8")
[DOCUMENTED] = re.findall(r"consumer_timeout = (\d+)", PAGE)
SHORT = "1500"


@pytest.fixture
def busy(request, fresh_site, marketplace, tmp_path):
    """A worker will be busy with one task for eight seconds or more."""
    broker = RabbitBroker(tmp_path, tick=500, consumer_timeout=request.param)
    broker.start()
    fresh_site.environment |= environment(marketplace.origin) | {
        "CELERY_BROKER_URL": broker.url(),
        "DJANGO_SETTINGS_MODULE": "tests.faults.impatient_settings",
    }
    fresh_site.links(1)
    slow = Fault(Trouble.SLOW, "CreateHITWithHITType", times=100, seconds=2)
    marketplace.faults.add(slow)
    yield fresh_site, broker
    broker.kill()


@pytest.mark.parametrize("busy", [SHORT], indirect=True)
def test_a_task_that_is_taken_away_ends_all_the_same(busy, marketplace):
    site, broker = busy
    with worker(site) as first:
        site.run("-m", "tests.faults.launch")
        wait_until(broker.gave_up)
        wait_until(lambda: first.poll() is not None or ask(site, WAITING) == 0)
        marketplace.faults.clear()
    claims_are_old(site)
    with worker(site):  # as systemd starts one again
        wait_until(lambda: ask(site, WAITING) == 0)
    assert ask(site, DONE) > 3
    assert_all_is_well(site, marketplace)


@pytest.mark.parametrize("busy", [DOCUMENTED], indirect=True)
def test_the_documented_patience_is_enough(busy, marketplace):
    site, broker = busy
    with worker(site) as first:
        site.run("-m", "tests.faults.launch")
        wait_until(lambda: ask(site, WAITING) == 0)
        assert first.poll() is None
    assert not broker.gave_up()
    assert_all_is_well(site, marketplace)
