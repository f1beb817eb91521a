"""Fixtures every test may use: the kinds of people, and the services behind the tests."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

import hypothesis
import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client

from analysis.metrics.meteor.scorer import Meteor
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

DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "django_db_setup"}


def pytest_configure() -> None:
    """A shell's background jobs ignore Ctrl-C, and so would every program a test starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what touches a database, so that it can be run on each of them."""
    for item in items:
        needed = set(getattr(item, "fixturenames", ()))
        if needed & DATABASE_FIXTURES or item.get_closest_marker("django_db"):
            item.add_marker("database")
        if item.get_closest_marker("postgres") and connection.vendor != "postgresql":
            item.add_marker(pytest.mark.skip(reason="runs on PostgreSQL only"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name what failed at once, not only after the last of thousands."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        sys.stderr.write(f"\n{report.nodeid} failed\n")


def service_address(variable: str, name: str) -> str:
    """Where a service is; without it a test is skipped, and under CI=true it fails."""
    address = os.environ.get(variable)
    if address:
        return address
    if os.environ.get("CI") == "true":
        pytest.fail(f"{name} is missing")
    pytest.skip(f"{name} is not installed")


@pytest.fixture(scope="session")
def meteor_store(pytestconfig: pytest.Config) -> Path:
    """A store with METEOR's table in it: made by the first run, which takes it ten seconds."""
    store = pytestconfig.cache.mkdir("meteor")
    Meteor.open(store)
    return store


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine where nothing is installed beside Python."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("java") is None


@pytest.fixture(scope="session")
def postgres_url() -> str:
    return service_address("POSTGRES_URL", "PostgreSQL")


@pytest.fixture(scope="session")
def redis_url() -> str:
    return service_address("REDIS_URL", "Redis")


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
