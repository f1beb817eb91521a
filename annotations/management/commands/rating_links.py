"""`rating_links CAMPAIGN --people Anna Ben` or `--count 20`: links to send, as a CSV table."""

from __future__ import annotations

import csv
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.addresses import entry_address, invitation_entry
from annotations.services.annotators import annotators_invite
from annotations.services.assignments import batches_open
from daplatform.errors import DomainError
from hits.models import Campaign


class Command(BaseCommand):
    help = "Open a campaign's HITs and print a personal rating link for everybody invited."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the campaign's short name, as in its address")
        people = parser.add_mutually_exclusive_group(required=True)
        people.add_argument("--people", nargs="+", metavar="NAME", help="names or addresses")
        people.add_argument("--count", type=int, help="how many links for people without a name")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign called {options['campaign']!r}.")
        names = options["people"] or [f"guest {n + 1}" for n in range(options["count"])]
        try:
            batches_open(campaign=campaign)
            invitations = annotators_invite(campaign=campaign, names=names)
        except DomainError as error:
            raise CommandError(str(error)) from None
        table = csv.writer(self.stdout)
        table.writerow(["person", "link"])
        for invitation in invitations:
            table.writerow([invitation.name, entry_address(invitation_entry(invitation))])
