"""The platform's own settings, with sweeps often enough to be waited for."""

from __future__ import annotations

from daplatform.settings import *  # noqa: F403

for entry in CELERY_BEAT_SCHEDULE.values():  # noqa: F405
    entry["schedule"] = min(entry["schedule"] / 30, 10.0)
