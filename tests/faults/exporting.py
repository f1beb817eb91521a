"""`python -m tests.faults.exporting ask|write|work`: a long list, asked for, written, worked at.

The worker writes one row at a time, and is impatient about others that fell silent. Where
DIES_AFTER says so it is killed in the middle: by itself, for whoever watches it may come too late.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import django

LIST = "ratings"


def ask(folder: str) -> None:
    """A rated campaign in the folder, and an export of its ratings for a worker to make."""
    from django.contrib.auth.models import User

    from analysis.services.exports import export_request
    from daplatform.jobs.tasks import job_wake
    from tests.analysis.pages.conftest import rated_campaign

    campaign = rated_campaign(User.objects.create(username="organiser"), Path(folder))
    export = export_request(
        campaign=campaign,
        by=campaign.owner,
        name=LIST,
        format="csv",
        address="/",
        choices={"last": campaign.ratings.latest("pk").pk, "decisions": ""},
        rows=campaign.ratings.count(),
    )
    job_wake(export)


def write(path: str) -> None:
    """The same file, written undisturbed and at once."""
    from analysis.models import Export
    from analysis.presenting.downloads import write_download
    from analysis.services.downloads import DOWNLOADS

    export = Export.objects.get()
    with Path(path).open("wb") as stream:
        made = DOWNLOADS[LIST](export.campaign, **export.choices)
        write_download(stream, made, export.format)


def work(folder: str) -> None:
    from django.conf import settings

    from analysis.services import downloads
    from daplatform.celery import app

    downloads.PIECE = 1
    if rows := os.environ.get("DIES_AFTER"):
        die_after(int(rows))
    settings.JOB_SILENT_SECONDS = 2.0
    app.conf.beat_schedule = {
        "sweep": {"task": "daplatform.jobs.tasks.jobs_sweep_task", "schedule": 1.0}
    }
    command = ["worker", "--beat", "--schedule", f"{folder}/beat", "--concurrency", "1"]
    app.worker_main([*command, "--loglevel", "ERROR"])


def die_after(rows: int) -> None:
    """The worker with all its processes, without a word."""
    from analysis.services import exports

    told = exports.job_alive

    def alive(**given: Any) -> None:
        told(**given)
        if given["progress"]["rows"] > rows:
            os.killpg(0, signal.SIGKILL)

    exports.job_alive = alive


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "daplatform.settings")
    django.setup()
    {"ask": ask, "write": write, "work": work}[sys.argv[1]](sys.argv[2])
