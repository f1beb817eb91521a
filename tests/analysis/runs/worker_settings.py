"""The platform's settings for a worker that is going to be killed: impatient about dead ones.

Where DIES is set it is killed in the middle of a run, as soon as the first videos are embedded: by
itself, for whoever watches it may come too late.
"""

from __future__ import annotations

import os
import signal
from typing import Any

from celery.signals import task_postrun

from daplatform.settings import *  # noqa: F403

JOB_SILENT_SECONDS = 3.0
CELERY_BEAT_SCHEDULE = {
    "take-up-jobs-left-behind": {
        "task": "daplatform.jobs.tasks.jobs_sweep_task",
        "schedule": 1.0,
    }
}


def die(**_: Any) -> None:
    from analysis.models import MetricChunk

    if MetricChunk.objects.filter(kind="videos", status="done").exists():
        os.killpg(0, signal.SIGKILL)


if "DIES" in os.environ:
    task_postrun.connect(die)
