"""Services that hang: they are stopped, not killed, and nobody hangs with them."""

from __future__ import annotations

import contextlib
import http.client
import json
import sys
import threading
import time
from urllib.parse import urlsplit

import boto3
import pytest

from daplatform.broker import SILENCE_SECONDS
from rehearsal.management.commands.rehearse import environment
from tests.faults.campaign import HIT_SIZE
from tests.faults.crowd_stage import WAITING, ask, claims_are_old, wait_until, worker
from tests.faults.stage import ROOT, Stage, rate_through
from tests.faults.stopping import quiet, stopped
from tests.services import free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
CLICKS = 50
PEOPLE = 3
# Long for a machine that is busy, and short of for ever.
PATIENCE = 60
TOKEN = "for-this-stage"
UNMADE = "SELECT count(*) FROM analysis_result WHERE status IN ('waiting', 'running')"
MADE = "SELECT count(*) FROM analysis_result WHERE status NOT IN ('waiting', 'running')"
GIVEN_UP = "SELECT count(*) FROM crowds_outboxmessage WHERE attempts > 0 AND error <> ''"
WELL = {"database": True, "broker": True, "media": True}


# Where the broker does well, one kind shows as much as two.
on_redis = pytest.mark.parametrize("broker", ["redis"], indirect=True)


@pytest.fixture
def hung_site(fresh_site, broker):
    """With a broker that can be stopped, and a database that is given up after seconds.

    As in production, for whoever develops is shown faults as they are.
    """
    fresh_site.environment |= {
        "DEBUG": "false",
        "CELERY_BROKER_URL": broker.url(),
        "DJANGO_SETTINGS_MODULE": "tests.faults.hasty_settings",
        "DATABASE_SECONDS": "3",
        "METRICS_TOKEN": TOKEN,
    }
    fresh_site.run("manage.py", "collectstatic", "--noinput")
    return fresh_site


def get(site: Stage, path: str, key: str = "") -> tuple[int, str]:
    """An answer within PATIENCE, or TimeoutError."""
    with contextlib.closing(
        http.client.HTTPConnection(urlsplit(site.url).netloc, timeout=PATIENCE)
    ) as wire:
        wire.request("GET", path, headers={"Authorization": f"Bearer {key}"} if key else {})
        answer = wire.getresponse()
        return answer.status, answer.read().decode()


def health(site: Stage, path: str = "/healthz") -> tuple[int, dict[str, bool]]:
    status, text = get(site, path)
    return status, json.loads(text)


def click(site: Stage, key: str, path: str) -> list[int]:
    """Many at once, each of which would wake a worker; what each was answered."""
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(get(site, path, key)[0]), daemon=True)
        for _ in range(CLICKS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return answers


def test_people_rate_on_while_the_broker_hangs_and_clicks_would_wake_workers(hung_site, broker):
    site = hung_site
    site.serve()
    first, *others = site.links(PEOPLE)
    key, path = json.loads(site.run("-m", "tests.faults.asking"))
    rate_through(site, [first], pause=0, trouble=lambda: None)
    answers: list[int] = []
    with stopped(broker):
        raters = rate_through(
            site, others, pause=0.1, trouble=lambda: answers.extend(click(site, key, path))
        )
        assert answers == [202] * CLICKS  # being computed
        assert all(rater.submitted for rater in raters)
        assert health(site) == (503, WELL | {"broker": False})
        assert health(site, "/readyz")[0] == 200
    assert len(site.saved()) == PEOPLE * HIT_SIZE
    assert 'da_tasks_unsent_total{reason="full"' in get(site, "/metrics", TOKEN)[1]
    wait_until(lambda: health(site) == (200, WELL))
    with worker(site):  # the sweep finds what waits
        wait_until(lambda: ask(site, UNMADE) == 0)


def test_a_worker_whose_broker_hung_goes_on_by_itself(hung_site, broker):
    site = hung_site
    site.serve()
    [link] = site.links(1)
    key, path = json.loads(site.run("-m", "tests.faults.asking"))
    with worker(site) as process:
        wait_until(lambda: broker.listeners() > 0)
        with stopped(broker):
            rate_through(site, [link], pause=0, trouble=lambda: None)
            get(site, path, key)
            time.sleep(3 * SILENCE_SECONDS)
        wait_until(lambda: ask(site, MADE) > 0 and ask(site, UNMADE) == 0)
        assert process.poll() is None


@on_redis
def test_a_database_that_hangs_is_said_so_and_is_used_again_afterwards(hung_site):
    site = hung_site
    site.serve()
    links, before = site.links(PEOPLE), site.saved()

    def hang():
        with stopped(site.base):
            assert health(site) == (503, WELL | {"database": False})
            assert health(site, "/readyz") == (503, {"database": False, "migrations": False})
            # Threads are given back: more are asked for than there are, and each is answered.
            assert set(click(site, "da_guessed", "/api/campaigns")) == {503}

    raters = rate_through(site, links, pause=0.1, trouble=hang)
    assert all(rater.submitted for rater in raters)
    told = {key: score for rater in raters for key, score in rater.told.items()}
    assert site.saved() == before | told
    assert "hold." in site.run("manage.py", "verify")


@on_redis
def test_a_bucket_that_hangs_is_said_so_and_people_rate_on(hung_site):
    site, port = hung_site, free_port()
    bucket = quiet([sys.executable, "-m", "moto.server", "-p", str(port)], port)
    keys = {"AWS_ACCESS_KEY_ID": "moto", "AWS_SECRET_ACCESS_KEY": "moto"}
    try:
        boto3.client(
            "s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1",
            aws_access_key_id="moto", aws_secret_access_key="moto",
        ).create_bucket(Bucket="media")  # fmt: skip
        site.serve(
            MEDIA_BUCKET="media", MEDIA_ENDPOINT_URL=f"http://127.0.0.1:{port}",
            MEDIA_REGION="us-east-1", **keys,
        )  # fmt: skip
        assert health(site) == (200, WELL)
        with stopped(bucket):
            for _ in range(20):  # more than there are threads
                assert health(site) == (503, WELL | {"media": False})
            raters = rate_through(site, site.links(1), pause=0, trouble=lambda: None)
            assert all(rater.submitted for rater in raters)
        wait_until(lambda: health(site) == (200, WELL))
    finally:
        bucket.kill()


@on_redis
def test_a_marketplace_that_hangs_is_told_later(hung_site, tmp_path):
    site, port = hung_site, free_port()
    site.serve(**environment(f"http://127.0.0.1:{port}"))
    market = quiet(
        [sys.executable, "manage.py", "rehearse", "--port", str(port), "--data", str(tmp_path)],
        port, cwd=ROOT, env=site.environment,
    )  # fmt: skip
    try:
        site.links(1)
        site.run("-m", "tests.faults.launch")
        with contextlib.ExitStack() as hanging:
            hanging.enter_context(stopped(market))
            with worker(site):
                wait_until(lambda: ask(site, GIVEN_UP) > 0)
                assert health(site) == (200, WELL)
                hanging.close()
                claims_are_old(site)
                ask(site, "UPDATE crowds_outboxmessage SET next_try_at = now()")
                wait_until(lambda: ask(site, WAITING) == 0)
        site.run("manage.py", "reconcile")
    finally:
        market.kill()
