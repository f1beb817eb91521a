"""Score a campaign of the platform, as its page does: by the workers, or here and now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.metrics.registry import metric_names
from analysis.selectors.metric_scores import files_write
from analysis.services.metric_chunks import metric_run_finish
from analysis.services.metric_runs import metric_run_request
from analysis.tasks import metric_run_work_task
from daplatform.errors import DomainError
from hits.models import Campaign


class Command(BaseCommand):
    help = "Have metrics of a campaign computed, or write down what was computed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="the campaign as its address names it")
        parser.add_argument("--metrics", help="names, with commas; nothing is scored without")
        parser.add_argument("--model", default="demo")
        parser.add_argument("--weights", default="")
        parser.add_argument("--frames", default="uniform:16")
        parser.add_argument("--now", action="store_true", help="here, without a worker")
        parser.add_argument("--out", type=Path, help="folder for scores.csv and its input files")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['campaign']}.")
        try:
            if options["metrics"]:
                self._score(campaign, options)
            if options["out"]:
                options["out"].mkdir(parents=True, exist_ok=True)
                files_write(campaign, options["out"])
        except (DomainError, ValueError, OSError) as error:
            raise CommandError(str(error)) from error

    def _score(self, campaign: Campaign, options: dict[str, Any]) -> None:
        named = options["metrics"]
        run = metric_run_request(
            campaign=campaign,
            metrics=metric_names() if named == "all" else named.split(","),
            model=options["model"],
            weights=options["weights"],
            frames=options["frames"],
        )
        if options["now"]:
            metric_run_finish(pk=run.pk)
        else:
            metric_run_work_task.delay(run.pk)
