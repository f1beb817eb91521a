"""Parts of the site die in the middle of rating. What was called saved is there, once."""

from __future__ import annotations

import os
import signal
import time

import pytest

from tests.faults.campaign import HIT_SIZE
from tests.faults.stage import Marker, Stage, rate_through

PEOPLE = 6
PAUSE = 0.15
TIMES = int(os.environ.get("CHAOS_TIMES", "1"))

pytestmark = pytest.mark.slow


def kill_a_worker(site: Stage) -> None:
    os.kill(site.web.children()[0], signal.SIGKILL)


def kill_the_web_server(site: Stage) -> None:
    site.web.kill()
    time.sleep(0.5)
    site.web.start()


def restart_the_database(site: Stage) -> None:
    """Immediate mode: nobody says goodbye, and PostgreSQL recovers from its log."""
    site.base.kill(signal.SIGQUIT, group=False)
    time.sleep(0.5)
    site.start_database()


@pytest.mark.parametrize("trouble", [kill_a_worker, kill_the_web_server, restart_the_database])
def test_nothing_that_was_called_saved_is_lost_or_doubled(site, trouble):
    links, before = site.links(PEOPLE), site.saved()

    def often():
        for _ in range(1 + TIMES):
            time.sleep(0.8)
            trouble(site)

    raters = rate_through(site, links, pause=PAUSE, trouble=often)
    assert all(rater.submitted for rater in raters)
    told = {key: score for rater in raters for key, score in rater.told.items()}
    assert len(told) == PEOPLE * HIT_SIZE
    assert site.saved() == before | told
    assert "hold." in site.run("manage.py", "verify")


HALVES = """
    SELECT rating.id FROM annotations_rating rating
    LEFT JOIN annotations_mark mark ON mark.rating_id = rating.id
    WHERE rating.answers ? 'marks'
    GROUP BY rating.id
    HAVING count(mark.id) <> jsonb_array_length(rating.answers -> 'marks')
"""


@pytest.mark.parametrize("trouble", [kill_a_worker, restart_the_database])
def test_marks_forms_and_corrections_are_whole_or_not_there(site, trouble):
    links, before = site.links(PEOPLE, "factuality"), site.saved()

    def once():
        time.sleep(0.8)
        trouble(site)

    first = rate_through(site, links, pause=PAUSE, trouble=once, kind=Marker)
    assert all(rater.submitted for rater in first)
    site.run("-m", "tests.faults.campaign", "back")
    opened = site.rows("SELECT count(*) FROM annotations_correction WHERE done_at IS NULL")
    assert opened == [(PEOPLE,)]
    again = rate_through(site, links, pause=PAUSE, trouble=once, kind=Marker)
    assert all(rater.submitted for rater in again)
    told = {key: score for rater in first + again for key, score in rater.told.items()}
    assert len(told) == PEOPLE * (HIT_SIZE + 1)
    assert site.saved() == before | told
    assert site.rows(HALVES) == []
    assert site.rows("SELECT 1 FROM annotations_correction WHERE done_at IS NULL") == []
    forms = "SELECT assignment_id, count(*) FROM annotations_formanswers GROUP BY 1"
    counts = [count for _, count in site.rows(forms)]
    assert set(counts) == {1}
    assert len(counts) % PEOPLE == 0
    assert "hold." in site.run("manage.py", "verify")
