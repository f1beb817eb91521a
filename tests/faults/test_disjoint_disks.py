"""Web servers and workers that share a database, a broker and a bucket, and no disk."""

from __future__ import annotations

import shutil
import sys

import boto3
import pytest

from tests.faults.brokers import RedisBroker
from tests.faults.conftest import stage_or_skip
from tests.faults.crowd_stage import ask, wait_until, worker
from tests.faults.stopping import quiet, stopped
from tests.folders import make_folder, make_zip
from tests.services import free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
KEYS = {"AWS_ACCESS_KEY_ID": "moto", "AWS_SECRET_ACCESS_KEY": "moto"}
CHECKED = "SELECT count(*) FROM hits_upload WHERE stage = 'check' AND status = 'done'"
IMPORTED = "SELECT count(*) FROM hits_campaign"
COMPUTED = "SELECT count(*) FROM analysis_result WHERE status = 'done'"
EXPORTED = "SELECT count(*) FROM analysis_export WHERE status = 'done'"
WAITS = "SELECT count(*) FROM analysis_result WHERE status = 'waiting' AND problem LIKE '%bucket%'"


@pytest.fixture
def bucket():
    port = free_port()
    served = quiet([sys.executable, "-m", "moto.server", "-p", str(port)], port)
    served.address = f"http://127.0.0.1:{port}"
    boto3.client(
        "s3", endpoint_url=served.address, region_name="us-east-1",
        aws_access_key_id="moto", aws_secret_access_key="moto",
    ).create_bucket(Bucket="media")  # fmt: skip
    yield served
    served.kill()


@pytest.fixture
def site(tmp_path, bucket):
    broker = RedisBroker(tmp_path)
    broker.start()
    with stage_or_skip() as made:
        made.environment |= KEYS | {
            "CELERY_BROKER_URL": broker.url(),
            "MEDIA_BUCKET": "media",
            "MEDIA_ENDPOINT_URL": bucket.address,
            "MEDIA_REGION": "us-east-1",
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


def test_a_job_waits_for_the_bucket_and_goes_on(site, at, bucket, tmp_path):
    """It hangs, so that what it holds is there again afterwards."""
    at("first-web", "account")
    site.run("manage.py", "import_campaign", str(make_folder(tmp_path / "folder")))
    at("first-web", "rate")
    at("first-web", "look", "ranking/")
    with worker(site, DATA_DIR=str(tmp_path / "worker")):
        with stopped(bucket):
            wait_until(lambda: ask(site, WAITS) == 1)
            assert ask(site, "SELECT count(*) FROM daplatform_sharedfile") == 0
        wait_until(lambda: ask(site, COMPUTED) == 1)
    assert at("second-web", "look", "captions/").startswith("200")
    assert "hold." in site.run("manage.py", "verify")
