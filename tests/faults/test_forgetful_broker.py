"""The broker is killed and comes back with everything gone, while people rate and HITs go out."""

from __future__ import annotations

import os
import time

import pytest

from rehearsal.management.commands.rehearse import environment
from rehearsal.mturk.faults import Fault, Trouble
from tests.faults.campaign import HIT_SIZE
from tests.faults.crowd_stage import WAITING, ask, claims_are_old, wait_until, worker
from tests.faults.stage import rate_through

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
TIMES = int(os.environ.get("CHAOS_TIMES", "1"))
PEOPLE = 3


def test_work_goes_on_without_a_broker_and_is_taken_up_after_it(fresh_site, marketplace, broker):
    site = fresh_site
    site.serve(
        **environment(marketplace.origin),
        CELERY_BROKER_URL=broker.url(),
        DJANGO_SETTINGS_MODULE="tests.faults.hasty_settings",
    )
    links, before = site.links(PEOPLE), site.saved()
    marketplace.faults.add(Fault(Trouble.SLOW, "CreateHITWithHITType", times=100, seconds=1))

    def forget():
        for _ in range(TIMES):
            broker.kill()
            site.run("-m", "tests.faults.launch") if not ask(site, WAITING) else time.sleep(1)
            broker.start()
            time.sleep(1)

    with worker(site):
        raters = rate_through(site, links, pause=0.1, trouble=forget)
        assert all(rater.submitted for rater in raters)
        told = {key: score for rater in raters for key, score in rater.told.items()}
        assert len(told) == PEOPLE * HIT_SIZE
        assert site.saved() == before | told
        marketplace.faults.clear()
        claims_are_old(site)
        wait_until(lambda: ask(site, WAITING) == 0)
    publications = ask(site, "SELECT count(*) FROM crowds_publication")
    assert len(marketplace.service.market.hits) == publications > 3
    assert "hold." in site.run("manage.py", "verify")
    site.run("manage.py", "reconcile")
