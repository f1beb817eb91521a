"""What Celery beat sets off: sweeps for work that a dead worker or broker left behind."""

from __future__ import annotations

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {
    "take-up-batches-left-behind": {
        "task": "hits.tasks.batches_resume_task",
        "schedule": 60.0,
    },
    "take-up-uploads-left-behind": {
        "task": "hits.tasks.uploads_resume_task",
        "schedule": 60.0,
    },
    "take-up-results-left-behind": {
        "task": "analysis.tasks.results_resume_task",
        "schedule": 60.0,
    },
    "take-up-exports-left-behind": {
        "task": "analysis.tasks.exports_sweep_task",
        "schedule": 60.0,
    },
    "take-up-metric-runs-left-behind": {
        "task": "analysis.tasks.metric_runs_resume_task",
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
    "tell-crowds-what-waits": {
        "task": "hits.tasks.acts_resume_task",
        "schedule": 15.0,
    },
    "ask-crowds-what-is-new": {
        "task": "annotations.tasks.launches_sync_task",
        "schedule": 60.0,
    },
    "judge-the-work-of-crowds": {
        "task": "analysis.tasks.verdicts_sweep_task",
        "schedule": 120.0,
    },
    "pay-and-replace-by-the-rules": {
        "task": "annotations.tasks.launches_tend_task",
        "schedule": 300.0,
    },
    "compare-with-crowds": {
        "task": "annotations.tasks.launches_reconcile_task",
        "schedule": 3600.0,
    },
    "close-what-is-finished": {
        "task": "annotations.tasks.campaigns_close_task",
        "schedule": 3600.0,
    },
    "forget-who-people-were": {
        "task": "annotations.tasks.campaigns_retire_task",
        "schedule": 86_400.0,
    },
}
