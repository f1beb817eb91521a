"""Fill in marks for people to confirm, change or delete: from a table, or from a metric."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.services.filling import marks_fill_by_metric
from daplatform.errors import DomainError
from daplatform.tables import Faults
from hits.importing.limits import LIMITS
from hits.importing.marks import Place, read_marks
from hits.models import Campaign, Caption
from hits.services.filling import marks_fill, marks_forget


class Command(BaseCommand):
    help = "Mark words of a draft’s captions beforehand, for people to confirm, change or delete."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="the campaign as its address names it")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument(
            "--file", type=Path, help="a table with video, system and start, end, label, or marked"
        )
        source.add_argument(
            "--share", type=float, help="of all words, those that EMScore finds least in the frames"
        )
        source.add_argument("--none", action="store_true", help="take the marks away")
        parser.add_argument("--label", default="", help="of marks by --share; the first by default")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['campaign']}.")
        try:
            marks = _fill(campaign, options)
        except (DomainError, ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        control = f"{campaign.filling_control:.0%} of people get none"
        self.stdout.write(f"Marks in the captions of “{campaign}”: {marks:,}; {control}.")


def _fill(campaign: Campaign, options: dict[str, Any]) -> int:
    if options["none"]:
        return marks_forget(campaign=campaign)
    if options["share"] is not None:
        return marks_fill_by_metric(
            campaign=campaign, share=options["share"], label=options["label"]
        )
    if not options["file"].is_file():
        raise DomainError(f"There is no file {options['file'].name}.")
    faults = Faults()

    def texts(wanted: Collection[Place]) -> dict[Place, str]:
        named = Caption.objects.filter(system__campaign=campaign, retired_at=None)
        rows = named.filter(video__name__in={video for video, _ in wanted})
        found = rows.values_list("video__name", "system__name", "text")
        return {(video, system): text for video, system, text in found}

    marks = read_marks(options["file"], campaign.asked, texts, faults, LIMITS)
    faults.refuse()
    return marks_fill(campaign=campaign, marks=marks)
