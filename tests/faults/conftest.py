"""A site with a database of its own, where PostgreSQL is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.faults.stage import Stage, stage
from tests.services import POSTGRES_FOLDERS, ServiceMissing, program


@pytest.fixture(scope="module")
def site() -> Iterator[Stage]:
    try:
        program("initdb", *POSTGRES_FOLDERS)
    except ServiceMissing as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))
    with stage() as made:
        yield made
