"""The clock of a running web server jumps by an hour, ahead and back, while people rate."""

from __future__ import annotations

import os

import pytest

from tests.faults.campaign import HIT_SIZE
from tests.faults.crowd_stage import ask, wait_until
from tests.faults.stage import rate_through

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
# Each jump wants some ratings to happen to.
TIMES = min(4, int(os.environ.get("CHAOS_TIMES", "1")))
PEOPLE = 3
JUMPS = (1, -1, 0)  # hours from the true time
HOURS = """
    SELECT round(extract(epoch FROM max(created_at) - min(created_at)) / 3600)::int
    FROM annotations_rating
"""


def test_no_rating_is_refused_lost_or_doubled(fresh_site, tmp_path):
    site, clock = fresh_site, tmp_path / "clock"
    clock.write_text("0")
    site.web.command += ["--config", "python:tests.faults.jumping_clock"]
    site.serve(CLOCK_FILE=str(clock))
    links, jumps = site.links(PEOPLE), JUMPS * TIMES
    apart = PEOPLE * HIT_SIZE // (1 + len(jumps))  # in ratings

    def jump():
        for number, hours in enumerate(jumps, start=1):
            wait_until(lambda number=number: len(site.saved()) >= number * apart)
            clock.write_text(str(hours))

    raters = rate_through(site, links, pause=0.15, trouble=jump)
    assert all(rater.submitted for rater in raters)
    told = {key: score for rater in raters for key, score in rater.told.items()}
    assert len(told) == PEOPLE * HIT_SIZE
    assert site.saved() == told
    assert ask(site, HOURS) == 2  # the server has believed its clock
    assert "hold." in site.run("manage.py", "verify")
