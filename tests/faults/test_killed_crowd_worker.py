"""A worker that publishes HITs is killed (-9) between a call and its record, and Redis forgets."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import psycopg2
import pytest
import redis as redis_client

from hits.management.commands.rehearse import KEYS, environment
from hits.rehearsal.desk import Desk
from hits.rehearsal.faults import Fault, Trouble
from hits.rehearsal.server import running
from tests import services
from tests.faults.stage import PATIENCE, ROOT, Stage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
DONE = "SELECT count(*) FROM hits_act WHERE state = 'done'"
WAITING = "SELECT count(*) FROM hits_act WHERE state NOT IN ('done', 'failed')"


@pytest.fixture
def marketplace():
    with running(Desk(seed="killed"), KEYS) as server:
        yield server


@pytest.fixture
def redis() -> Iterator[str]:
    try:
        with services.redis() as url:
            yield url
    except services.ServiceMissing as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))


@contextlib.contextmanager
def worker(site: Stage) -> Iterator[subprocess.Popen[bytes]]:
    """Takes what crowds are to be told, and looks every few seconds for what was left behind."""
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "daplatform", "worker", "--beat"]
    command += ["--queues", "default,crowd", "--concurrency", "1", "--loglevel", "ERROR"]
    process = subprocess.Popen(command, cwd=ROOT, env=site.environment, start_new_session=True)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def ask(site: Stage, query: str) -> int:
    with contextlib.closing(psycopg2.connect(site.dsn)) as base, base.cursor() as cursor:
        cursor.execute(query)
        base.commit()
        return cursor.fetchone()[0] if cursor.description else 0


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 2 * PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def hits_of(marketplace) -> list[str]:
    found = marketplace.desk.act("ListHITs", {"MaxResults": 100})["HITs"]
    return sorted(hit["RequesterAnnotation"] for hit in found)


def test_every_hit_is_published_once_whatever_dies(site, marketplace, redis):
    site.environment |= environment(marketplace.origin) | {"CELERY_BROKER_URL": redis}
    site.links(1)  # a campaign
    slow = Fault(Trouble.SLOW, "CreateHITWithHITType", times=100, seconds=0.5)
    marketplace.faults.add(slow)
    with worker(site) as first:
        site.run("-m", "tests.faults.launch")
        wait_until(lambda: ask(site, DONE) >= 1)
        published = len(hits_of(marketplace))
        wait_until(lambda: len(hits_of(marketplace)) > published)  # done there, not recorded here
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    marketplace.faults.clear()
    redis_client.Redis.from_url(redis).flushall()
    assert ask(site, WAITING) > 0
    long_ago = dt.datetime.now(dt.UTC) - dt.timedelta(hours=1)
    ask(site, f"UPDATE hits_act SET claimed_at = '{long_ago}' WHERE state = 'claimed'")
    with worker(site):
        wait_until(lambda: ask(site, WAITING) == 0)
    postings = ask(site, "SELECT count(*) FROM hits_posting")
    assert ask(site, DONE) == postings > 3
    names = hits_of(marketplace)
    assert len(names) == len(set(names)) == postings
    assert "hold." in site.run("manage.py", "verify")
    site.run("manage.py", "reconcile")  # exits with 1 where anything differs
