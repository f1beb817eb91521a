"""What Celery beat sets off: sweeps for work that a dead worker or broker left behind."""

from __future__ import annotations

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {
    "take-up-jobs-left-behind": {
        "task": "daplatform.jobs.tasks.jobs_sweep_task",
        "schedule": 60.0,
    },
    "ask-what-metric-workers-can-compute": {
        "task": "analysis.tasks.metric_worker_report_task",
        "schedule": 300.0,
    },
    "give-back-overdue-work": {
        "task": "annotations.tasks.assignments_expire_task",
        "schedule": 60.0,
    },
    "forget-networks-of-visitors": {
        "task": "crowds.tasks.origins_forget_task",
        "schedule": 60.0,
    },
    "tell-crowds-what-waits": {
        "task": "crowds.tasks.outbox_resume_task",
        "schedule": 15.0,
    },
    "ask-crowds-what-is-new": {
        "task": "crowds.tasks.launches_sync_task",
        "schedule": 60.0,
    },
    "judge-the-work-of-crowds": {
        "task": "analysis.tasks.verdicts_sweep_task",
        "schedule": 120.0,
    },
    "pay-and-replace-by-the-rules": {
        "task": "crowds.tasks.launches_tend_task",
        "schedule": 300.0,
    },
    "compare-with-crowds": {
        "task": "crowds.tasks.launches_reconcile_task",
        "schedule": 3600.0,
    },
    "close-what-is-finished": {
        "task": "crowds.tasks.campaigns_close_task",
        "schedule": 3600.0,
    },
    "forget-who-people-were": {
        "task": "crowds.tasks.campaigns_retire_task",
        "schedule": 86_400.0,
    },
}
