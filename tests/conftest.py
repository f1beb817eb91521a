"""Fixtures every test may use: the kinds of people, and the services behind the tests."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import hypothesis
import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client

from analysis.metrics.families.meteor.scorer import Meteor
from daplatform.jobs.tasks import job_run_task
from tests.factories import make_user

# A busy machine is no reason to fail: how long an example takes is for benchmarks. Nor is luck:
# each run tries the same examples, except those of `make chaos`, which looks for new ones.
hypothesis.settings.register_profile(
    "steady",
    deadline=None,
    derandomize="CHAOS_TIMES" not in os.environ,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("steady")

FAULTS = Path(__file__).parent / "faults"
DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "django_db_setup"}


def pytest_configure() -> None:
    """A shell's background jobs ignore Ctrl-C, and so would every program a test starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what touches a database, and what breaks services, before tests are chosen by marks."""
    needed = set(getattr(item, "fixturenames", ()))
    if needed & DATABASE_FIXTURES or item.get_closest_marker("django_db"):
        item.add_marker("database")
    if FAULTS in item.path.parents:
        item.add_marker("faults")
    if item.get_closest_marker("postgres") and connection.vendor != "postgresql":
        item.add_marker(pytest.mark.skip(reason="runs on PostgreSQL only"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name what failed at once, not only after the last of thousands."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        sys.stderr.write(f"\n{report.nodeid} failed\n")


@pytest.fixture(scope="session")
def meteor_store(pytestconfig: pytest.Config) -> Path:
    """A store with METEOR's table in it, which takes ten seconds: tests/run.py has made it."""
    store = pytestconfig.cache.mkdir("meteor")
    Meteor.open(store)
    return store


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine where nothing is installed beside Python."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("java") is None


@pytest.fixture(autouse=True)
def private_folders(settings, tmp_path):
    """No test sees another's media or queue, and none touches the developer's."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.SENDING_MARK = tmp_path / "sending.json"


@pytest.fixture(autouse=True)
def private_cache():
    """Rows of different tests have the same numbers, and caches know rows by their numbers."""
    cache.clear()


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Nothing listens in tests: the jobs that workers would have been woken for, in their place."""
    sent: list[tuple[str, int]] = []
    for name in ("apply_async", "apply_async_on_commit"):
        monkeypatch.setattr(job_run_task, name, lambda args, **options: sent.append(args))
    return sent


@pytest.fixture
def impatient_botocore(monkeypatch: pytest.MonkeyPatch) -> None:
    """It tries again at once. Nobody else does: a thread that pauses would take a whole core."""
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda _: None))


@pytest.fixture
def organiser(db) -> User:
    return make_user("organisers")


@pytest.fixture
def analyst(db) -> User:
    return make_user("analysts")


@pytest.fixture
def stranger(db) -> User:
    """An organiser with nothing to do with the campaign at hand."""
    return make_user("organisers")


@pytest.fixture
def client_of():
    """A browser in which the given person is logged in."""

    def log_in(user: User) -> Client:
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        return client

    return log_in


@pytest.fixture
def bucket(settings, monkeypatch):
    """Media in Amazon's S3, played by moto: nothing leaves this process."""
    import boto3
    from moto import mock_aws

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    storage = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": {"bucket_name": "media"}}
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket="media")
        settings.MEDIA_BUCKET = "media"
        settings.STORAGES = settings.STORAGES | {"default": storage}
        yield client
