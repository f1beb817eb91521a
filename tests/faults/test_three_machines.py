"""Web, crowd worker and gpu worker, each with a network and a disk of its own; one is cut off."""

from __future__ import annotations

import contextlib
import http.client

import pytest

from tests.analysis.learning.conftest import tiny_model  # noqa: F401 # a fixture
from tests.faults.brokers import RedisBroker
from tests.faults.buckets import RcloneBucket
from tests.faults.conftest import stage_or_skip
from tests.faults.crowd_stage import ask, program, wait_until, worker
from tests.faults.namespaces import NotPermitted, network
from tests.faults.stopping import stopped
from tests.folders import make_folder

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
DONE = "SELECT count(*) FROM analysis_{} WHERE status = 'done'"
TRAINED = "SELECT count(*) FROM daplatform_sharedfile WHERE path LIKE 'store/learned/%'"
TAKEN_OVER = "SELECT count(*) FROM analysis_learnedmetric WHERE attempts = 2"


@pytest.fixture
def lan():
    try:
        with network() as made:
            yield made
    except NotPermitted as reason:
        pytest.skip(f"network namespaces cannot be made here: {reason}")


@pytest.fixture
def bucket(tmp_path):
    made = RcloneBucket(tmp_path, "0.0.0.0")  # of the tests' own networks
    made.start()
    yield made
    made.kill()


@pytest.fixture
def site(lan, bucket, tmp_path, tiny_model):  # noqa: F811
    """What the machines share: a database, a broker and a bucket."""
    broker = RedisBroker(tmp_path, lan.address)
    broker.start()
    with stage_or_skip(also=lan.address) as made:
        made.environment |= bucket.variables(lan.address) | {
            "DATABASE_URL": made.dsn.replace("127.0.0.1", lan.address),
            "CELERY_BROKER_URL": broker.url(lan.address),
            "METRIC_RESOURCES": f"sentence={tiny_model}",
            "METRIC_DEVICE": "cpu",
            "DJANGO_SETTINGS_MODULE": "tests.faults.machine_settings",
        }
        yield made
    broker.kill()


@pytest.fixture
def web(site, lan, tmp_path):
    """Asked from outside for a page, gunicorn's status."""
    name = lan.add()
    host = lan.address_of(name)
    site.inside = lan.on(name)
    site.environment |= {"DATA_DIR": str(tmp_path / name), "ALLOWED_HOSTS": f"{host},127.0.0.1"}
    site.run("-m", "tests.faults.machine", "account")
    cookie = site.run("-m", "tests.faults.machine", "session").strip()

    def status(path: str) -> int:
        with contextlib.closing(http.client.HTTPConnection(host, 8000, timeout=60)) as wire:
            wire.request("GET", path, headers={"Cookie": cookie})
            return wire.getresponse().status

    def answers() -> bool:
        with contextlib.suppress(OSError):
            return status("/readyz") == 200
        return False

    gunicorn = ["gunicorn", "daplatform.wsgi", "--bind", f"{host}:8000"]
    gunicorn += ["--config", "python:tests.faults.serving"]
    with program(site, gunicorn, inside=lan.on(name)):
        wait_until(answers)
        yield status


@pytest.fixture
def gpu(site, lan, tmp_path, meteor_store):
    """A machine that trains, with METEOR's table on its disk."""

    def start(name: str):
        store = tmp_path / name / "embeddings"
        store.mkdir(parents=True)
        for path in meteor_store.iterdir():
            (store / path.name).symlink_to(path)
        return worker(
            site, beat=False, queues="gpu", inside=lan.on(name), DATA_DIR=str(tmp_path / name)
        )

    return start


def test_another_machine_trains_what_one_was_sharing_when_it_was_cut_off(
    site, web, gpu, lan, bucket, tmp_path
):
    def at_web(*step: str) -> str:
        return site.run("-m", "tests.faults.machine", *step).strip()

    folder = make_folder(tmp_path / "folder", videos=20, systems=6)
    site.run("manage.py", "import_campaign", str(folder), "--owner", "organiser")
    at_web("rate")
    campaign = "/campaigns/test-campaign"
    crowd, first, second = lan.add(), lan.add(), lan.add()
    with contextlib.ExitStack() as stack:
        stack.enter_context(worker(site, inside=lan.on(crowd), DATA_DIR=str(tmp_path / crowd)))
        assert web(f"{campaign}/ranking/") == 200  # which asks for a result
        wait_until(lambda: ask(site, DONE.format("result")) == 1)
        assert web(f"{campaign}/captions/") == 200  # of a file that the crowd worker made

        stack.enter_context(gpu(first))
        with stopped(bucket):
            assert at_web("learn", "ours") == "302"
            card = tmp_path / first / "embeddings/learned/ours/config.json"
            wait_until(card.exists)
            lan.cut(first)  # its files have been sent, and no answer came
        assert ask(site, TRAINED) == 0
        stack.enter_context(gpu(second))
        wait_until(lambda: ask(site, DONE.format("learnedmetric")) == 1)
        assert ask(site, TAKEN_OVER) == 1
        wait_until(lambda: ask(site, DONE.format("metricrun")) == 1)  # scored with it
        lan.mend(first)
        # What learned from these captions is not held against them: a metric that did not.
        site.run("manage.py", "score_campaign", "test-campaign", "--metrics", "bleu4")
        wait_until(lambda: ask(site, DONE.format("metricrun")) == 2)
        assert web(f"{campaign}/learned/1/ours.zip") == 200
        assert web(f"{campaign}/agreement/") == 200  # which asks for an evaluation
        wait_until(lambda: ask(site, DONE.format("metricevaluation")) == 1)
        assert web(f"{campaign}/agreement/") == 200
    assert ask(site, TRAINED) > 1
    assert "hold." in site.run("manage.py", "verify")
