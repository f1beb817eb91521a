"""A site with a database of its own, where PostgreSQL is installed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rehearsal.management.commands.rehearse import KEYS
from rehearsal.mturk.server import Server, running
from rehearsal.mturk.service import MarketService
from tests import services
from tests.faults.stage import Stage, stage
from tests.services import POSTGRES_FOLDERS, ServiceMissing, program


@pytest.fixture(scope="module")
def site() -> Iterator[Stage]:
    """One for all tests of a file, which serves its pages."""
    with stage_or_skip() as made:
        made.serve()
        yield made


@pytest.fixture
def fresh_site() -> Iterator[Stage]:
    """One for this test alone, which serves nothing yet."""
    with stage_or_skip() as made:
        yield made


@contextlib.contextmanager
def stage_or_skip(also: str = "") -> Iterator[Stage]:
    program_or_skip("initdb", *POSTGRES_FOLDERS)
    with stage(also) as made:
        yield made


@pytest.fixture
def marketplace() -> Iterator[Server]:
    with running(MarketService(seed="faults"), KEYS) as server:
        yield server


def program_or_skip(name: str, *folders: Path) -> str:
    """Where a program is; without it a test is skipped, and under CI=true it fails."""
    try:
        return program(name, *folders)
    except ServiceMissing as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))


@pytest.fixture
def redis() -> Iterator[str]:
    program_or_skip("redis-server")
    with services.redis() as url:
        yield url
