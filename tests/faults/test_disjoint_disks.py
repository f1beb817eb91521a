"""Web servers and workers that share a database, a broker and a bucket, and no disk."""

from __future__ import annotations

import shutil

import pytest

from tests.faults.brokers import RedisBroker
from tests.faults.buckets import BUCKETS
from tests.faults.conftest import stage_or_skip
from tests.faults.crowd_stage import ask, wait_until, worker
from tests.faults.stopping import stopped
from tests.folders import make_folder, make_zip

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
CHECKED = "SELECT count(*) FROM hits_upload WHERE stage = 'check' AND status = 'done'"
IMPORTED = "SELECT count(*) FROM hits_campaign"
COMPUTED = "SELECT count(*) FROM analysis_result WHERE status = 'done'"
EXPORTED = "SELECT count(*) FROM analysis_export WHERE status = 'done'"
SHARED = "SELECT count(*) FROM daplatform_sharedfile"
WAITS = "SELECT count(*) FROM analysis_result WHERE status = 'waiting' AND problem LIKE '%bucket%'"


@pytest.fixture(params=["moto", "rclone"])
def bucket(request, tmp_path):
    """Of two servers that know nothing of each other; the second keeps what it holds on a disk."""
    made = BUCKETS[request.param](tmp_path)
    made.start()
    yield made
    made.kill()


@pytest.fixture
def site(tmp_path, bucket):
    broker = RedisBroker(tmp_path)
    broker.start()
    with stage_or_skip() as made:
        made.environment |= bucket.variables() | {
            "CELERY_BROKER_URL": broker.url(),
            "EXPORT_ROWS_AT_ONCE": "1",
            "DJANGO_SETTINGS_MODULE": "tests.faults.hasty_settings",
        }
        yield made
    broker.kill()


@pytest.fixture
def at(site, tmp_path):
    """Do something at a web server of that name; what it said."""

    def there(name: str, *step: str) -> str:
        site.environment["DATA_DIR"] = str(tmp_path / name)
        return site.run("-m", "tests.faults.machine", *step).strip()

    return there


def test_what_one_machine_makes_another_has(site, at, bucket, tmp_path):
    archive = make_zip(make_folder(tmp_path / "folder", clips=True, videos=12))
    assert at("first-web", "upload", str(archive)) == "302 1"
    with worker(site, DATA_DIR=str(tmp_path / "worker")):
        wait_until(lambda: ask(site, CHECKED) == 1)
        assert at("second-web", "confirm") == "302"
        wait_until(lambda: ask(site, IMPORTED) == 1)
        at("first-web", "rate")
        at("first-web", "look", "captions/")  # asks for a result
        wait_until(lambda: ask(site, COMPUTED) == 1)
        first = at("first-web", "look", "files/captions.csv")
        assert first.startswith("302")  # too many rows: a worker writes it
        wait_until(lambda: ask(site, EXPORTED) == 1)
    export = ask(site, "SELECT id FROM analysis_export")
    seen = {at(name, "look", f"exports/{export}") for name in ("first-web", "second-web")}
    assert len(seen) == 1
    assert seen.pop().startswith("200")
    for name in ("first-web", "second-web"):
        assert at(name, "look", "captions/").startswith("200")
    copies = list((tmp_path / "second-web").rglob("captions.arrow"))
    whole = copies[0].read_bytes()
    copies[0].write_bytes(whole[:-100])  # damaged, and noticed by its digest
    assert at("second-web", "look", "captions/").startswith("200")
    assert copies[0].read_bytes() == whole

    bucket.kill()  # in the middle
    shutil.rmtree(tmp_path / "second-web")
    assert at("second-web", "look", "ranking/").startswith("200")
    assert at("second-web", "look", "captions/").startswith("503")
    assert at("first-web", "look", "captions/").startswith("200")  # it has them


@pytest.mark.parametrize("bucket", ["moto"], indirect=True)
def test_a_job_waits_for_a_bucket_that_hangs_and_goes_on(site, at, bucket, tmp_path):
    """What it held is there again afterwards."""
    at("first-web", "account")
    site.run("manage.py", "import_campaign", str(make_folder(tmp_path / "folder")))
    at("first-web", "rate")
    at("first-web", "look", "ranking/")
    with worker(site, DATA_DIR=str(tmp_path / "worker")):
        with stopped(bucket):
            wait_until(lambda: ask(site, WAITS) == 1)
            assert ask(site, SHARED) == 0
        wait_until(lambda: ask(site, COMPUTED) == 1)
    assert at("second-web", "look", "captions/").startswith("200")
    assert "hold." in site.run("manage.py", "verify")


@pytest.mark.parametrize("bucket", ["rclone"], indirect=True)
def test_a_bucket_that_is_killed_in_the_middle_of_a_job_comes_back_with_what_it_held(
    site, at, bucket, tmp_path
):
    archive = make_zip(make_folder(tmp_path / "folder", clips=True, videos=12))
    at("first-web", "upload", str(archive))  # which lies in the bucket
    with worker(site, DATA_DIR=str(tmp_path / "worker")):
        wait_until(lambda: ask(site, CHECKED) == 1)
        at("first-web", "confirm")
        wait_until(lambda: ask(site, IMPORTED) == 1)
        at("first-web", "rate")
        with stopped(bucket):
            at("first-web", "look", "ranking/")
            wait_until(lambda: list((tmp_path / "worker/results").rglob("captions.arrow")))
            bucket.kill()  # the worker waits for its answer
            wait_until(lambda: ask(site, WAITS) == 1)
            assert ask(site, SHARED) == 0
        bucket.start()
        wait_until(lambda: ask(site, COMPUTED) == 1)
    assert at("second-web", "look", "captions/").startswith("200")
    assert "hold." in site.run("manage.py", "verify")  # the videos are there, too
