"""`close CAMPAIGN [--reopen]`: end a campaign's links and launches, or let its links work again."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from crowds.selectors.closing import campaign_ending
from crowds.services.closing import campaign_begin_again, campaign_end
from daplatform.errors import DomainError
from hits.models import Campaign


class Command(BaseCommand):
    help = "Closes a campaign: links and launches end, ratings and results stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="its short name, as in its address")
        parser.add_argument("--reopen", action="store_true", help="open a closed one again")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(
                f"No campaign has the short name {options['campaign']!r}: see its address.",
                returncode=2,
            )
        try:
            self.reopen(campaign) if options["reopen"] else self.close(campaign)
        except DomainError as error:
            raise CommandError(f"{error} Nothing was changed.", returncode=2) from None

    def close(self, campaign: Campaign) -> None:
        ending = campaign_ending(campaign)
        campaign_end(campaign=campaign, by=None)
        self.stdout.write(
            f"Closed. Ended: {ending.links:,} links, {ending.launches:,} launches, "
            f"{ending.open_turns:,} open places. {ending.working:,} people at work can finish."
        )

    def reopen(self, campaign: Campaign) -> None:
        days = settings.RETENTION_DAYS
        campaign_begin_again(campaign=campaign, by=None, now=timezone.now(), days=days)
        self.stdout.write("Open again. Launches stay closed.")
