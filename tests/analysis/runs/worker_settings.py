"""The platform's settings for a worker that is going to be killed: impatient about dead ones."""

from __future__ import annotations

from daplatform.settings import *  # noqa: F403

JOB_SILENT_SECONDS = 3.0
CELERY_BEAT_SCHEDULE = {
    "take-up-jobs-left-behind": {
        "task": "daplatform.jobs.tasks.jobs_sweep_task",
        "schedule": 1.0,
    }
}
