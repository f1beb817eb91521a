"""A worker is killed (-9) between a call to a crowd and its record, and the broker forgets all."""

from __future__ import annotations

import json
import os

import pytest

from rehearsal.management.commands.rehearse import environment
from rehearsal.mturk.faults import Fault, Trouble
from tests.faults.crowd_stage import DONE, WAITING, ask, claims_are_old, kill, wait_until, worker

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
TIMES = int(os.environ.get("CHAOS_TIMES", "1"))
SUBMISSIONS = "SELECT count(*) FROM crowds_submission"
SYNC = "import django; django.setup(); from crowds.tasks import launches_sync_task as t; t()"


@pytest.fixture(params=range(TIMES))
def published(fresh_site, marketplace, broker):
    """A campaign whose HITs are out."""
    site = fresh_site
    site.environment |= environment(marketplace.origin) | {
        "CELERY_BROKER_URL": broker.url(),
        "DJANGO_SETTINGS_MODULE": "tests.faults.hasty_settings",
    }
    site.links(1)  # a campaign
    return site


def hits_of(marketplace) -> list[str]:
    found = marketplace.service.act("ListHITs", {"MaxResults": 100})["HITs"]
    return sorted(hit["RequesterAnnotation"] for hit in found)


def assert_all_is_well(site, marketplace) -> None:
    publications = ask(site, "SELECT count(*) FROM crowds_publication")
    names = hits_of(marketplace)
    assert len(names) == len(set(names)) == publications
    assert "hold." in site.run("manage.py", "verify")
    site.run("manage.py", "reconcile")  # exits with 1 where anything differs


def test_every_hit_is_published_once_whatever_dies(published, marketplace, broker):
    site = published
    before = ask(site, DONE)
    slow = Fault(Trouble.SLOW, "CreateHITWithHITType", times=100, seconds=2)
    marketplace.faults.add(slow)
    with worker(site) as first:
        site.run("-m", "tests.faults.launch")
        wait_until(lambda: ask(site, DONE) > before)
        there = len(hits_of(marketplace))
        wait_until(lambda: len(hits_of(marketplace)) > there)  # done there, not recorded here
        kill(first)
    marketplace.faults.clear()
    broker.forget()
    assert ask(site, WAITING) > 0
    claims_are_old(site)
    with worker(site):
        wait_until(lambda: ask(site, WAITING) == 0)
    assert ask(site, DONE) > 3
    assert_all_is_well(site, marketplace)


def test_every_submission_is_taken_down_once_whatever_dies(published, marketplace, broker):
    site = published
    site.run("-m", "tests.faults.launch")
    with worker(site):
        wait_until(lambda: ask(site, WAITING) == 0)
    turns = []
    for number, hit in enumerate(list(marketplace.service.market.hits)):
        person = f"A{number}"
        accepted = marketplace.service.act("accept", {"hit": hit, "worker": person})["assignment"]
        marketplace.service.act("submit", {"assignment": accepted, "fields": {"code": "C"}})
        turns.append([hit, person, accepted])
    site.run("-m", "tests.faults.handing_in", json.dumps(turns))
    marketplace.faults.add(Fault(Trouble.SLOW, "ListAssignmentsForHIT", times=100, seconds=2))
    asked = marketplace.service.calls.get("ListAssignmentsForHIT", 0)
    with worker(site, beat=False) as first:
        site.run("-c", SYNC)
        wait_until(lambda: marketplace.service.calls.get("ListAssignmentsForHIT", 0) > asked + 1)
        kill(first)  # in the middle: some HITs were asked about, others not
    marketplace.faults.clear()
    broker.forget()
    assert ask(site, SUBMISSIONS) < len(turns)
    with worker(site):
        wait_until(lambda: ask(site, SUBMISSIONS) == len(turns))
    finished = "SELECT count(*) FROM crowds_submission WHERE problem = ''"
    assert ask(site, finished) == len(turns)
    assert_all_is_well(site, marketplace)
