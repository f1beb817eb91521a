"""Score a campaign of the platform, as its page does: by the workers, or here and now."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.management.commands.score import INCOMPLETE, first_of
from analysis.management.scoring_options import (
    add_model,
    add_settings,
    model_of,
    names,
    settings_of,
)
from analysis.metrics.encoding.models import DEMO, ModelChoice
from analysis.metrics.files import as_texts, read_references
from analysis.metrics.scoring import Fault
from analysis.selectors.metric_scores import files_write, run_faults
from analysis.services.metric_runs import Corpus, metric_run_request
from daplatform.errors import DomainError
from daplatform.jobs.services import job_finish
from daplatform.jobs.tasks import job_wake
from daplatform.tables import Faults
from hits.models import Campaign


class Command(BaseCommand):
    help = "Have metrics of a campaign computed, or export what was computed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="the campaign as its address names it")
        parser.add_argument(
            "--metrics", type=names, help="names with commas, or all; nothing is scored without"
        )
        parser.add_argument("--label", default="", help="keeps these scores apart from others")
        parser.add_argument("--corpus", type=Path, help="references to count rare words in")
        add_model(parser)
        add_settings(parser)
        parser.add_argument("--now", action="store_true", help="here, without a worker")
        parser.add_argument("--out", type=Path, help="folder for scores.csv and its input files")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['campaign']}.")
        faults: list[Fault] = []
        try:
            if options["metrics"]:
                faults = self._score(campaign, options)
            if options["out"]:
                options["out"].mkdir(parents=True, exist_ok=True)
                files_write(campaign, options["out"])
        except (DomainError, ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        for line in first_of(faults):
            self.stderr.write(self.style.WARNING(line))
        if faults:
            sys.exit(INCOMPLETE)

    def _score(self, campaign: Campaign, options: dict[str, Any]) -> list[Fault]:
        """What could not be scored, as far as that is known already."""
        run = metric_run_request(
            campaign=campaign,
            metrics=options["metrics"],
            chosen=settings_of(options),
            model=_model(campaign, options),
            anyway=options["anyway"],
            corpus=_corpus(options["corpus"]),
            label=options["label"],
        )
        if options["now"]:
            job_finish(run)
            self.stdout.write(f"{len(run.metrics)} metrics of “{campaign}” are scored.")
            return run_faults([run])
        job_wake(run)
        self.stdout.write(
            f"Workers score {len(run.metrics)} metrics of “{campaign}”; "
            "its Metrics tab shows the progress."
        )
        return []


def _model(campaign: Campaign, options: dict[str, Any]) -> ModelChoice:
    """The demo's rendered scenes have a model of their own."""
    model = model_of(options)
    return ModelChoice(DEMO) if campaign.is_demo and not model.model else model


def _corpus(path: Path | None) -> Corpus | None:
    if path is None:
        return None
    faults = Faults()
    references = as_texts(read_references(path, faults))
    faults.refuse()
    return Corpus(path.name, references)
