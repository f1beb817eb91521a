"""The platform's settings for a worker that is going to be killed: impatient about dead ones."""

from __future__ import annotations

from daplatform.settings import *  # noqa: F403

METRIC_CLAIM_SECONDS = 3.0
CELERY_BEAT_SCHEDULE = {
    "take-up-metric-runs-left-behind": {
        "task": "analysis.tasks.metric_runs_resume_task",
        "schedule": 1.0,
    }
}
