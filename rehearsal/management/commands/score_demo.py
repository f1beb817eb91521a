"""Have the demo's rated campaign scored, by the worker or here and now."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from daplatform.jobs.services import job_finish
from daplatform.jobs.tasks import job_wake
from rehearsal.services import demo_scores_request


class Command(BaseCommand):
    help = "Ask for the metrics of the demo's rated campaign. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--now", action="store_true", help="here, without a worker")

    def handle(self, *args: Any, **options: Any) -> None:
        run = demo_scores_request()
        if run is None:
            return
        if options["now"]:
            job_finish(run)
        else:
            job_wake(run)
        self.stdout.write(f"{len(run.metrics)} metrics of “{run.campaign}”")
