"""The platform's own settings, with sweeps and time limits that can be waited for."""

from __future__ import annotations

from crowds.mturk import calling
from daplatform.settings import *  # noqa: F403

calling.READ_SECONDS = 3  # type: ignore[misc]

for entry in CELERY_BEAT_SCHEDULE.values():  # noqa: F405
    entry["schedule"] = min(entry["schedule"] / 30, 5.0)
