"""Hasty settings for machines that train: the dead are noticed soon, and few ratings are enough."""

from __future__ import annotations

from analysis.learning import rated
from tests.faults.hasty_settings import *  # noqa: F403

JOB_SILENT_SECONDS = 3.0
rated.FEWEST = 50  # type: ignore[misc]
