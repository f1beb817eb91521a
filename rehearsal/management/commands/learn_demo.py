"""Have a metric learn from the demo's rated campaign, by the worker or here and now."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from daplatform.jobs.services import job_finish
from daplatform.jobs.tasks import job_wake
from rehearsal.services import demo_metric_request


class Command(BaseCommand):
    help = "Ask for a metric that learns from the demo's ratings. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--now", action="store_true", help="here, without a worker")

    def handle(self, *args: Any, **options: Any) -> None:
        row = demo_metric_request()
        if row is None:
            return
        if options["now"]:
            job_finish(row)
        else:
            job_wake(row)
        self.stdout.write(f"“{row.name}” learns from “{row.campaign}”")
