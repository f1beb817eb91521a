"""`rating_links CAMPAIGN --people Anna Ben`, `--count 20` or `--group 20`: a CSV table."""

from __future__ import annotations

import csv
from argparse import ArgumentParser
from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crowds.invite.group_links import (
    CAUTION,
    group_link_offer,
    group_link_replace,
    group_link_revoke,
    join_address,
    joined_sentence,
)
from crowds.invite.invitations import INVITED, annotators_invite, invitation_entry
from crowds.selectors.entry import entry_address
from crowds.selectors.offering import Choices, batches_to_launch
from crowds.services.launches import batch_launch
from crowds.tasks import outbox_run_task
from daplatform.errors import DomainError
from hits.models import Campaign

Row = tuple[str, str]


class Command(BaseCommand):
    help = (
        "Print a personal rating link for everybody invited to a campaign, or one link for a "
        f"group. {CAUTION}"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the campaign's short name, as in its address")
        people = parser.add_mutually_exclusive_group(required=True)
        people.add_argument("--people", nargs="+", metavar="NAME", help="names or addresses")
        people.add_argument("--count", type=int, help="how many links for people without a name")
        people.add_argument(
            "--group",
            type=int,
            metavar="PEOPLE",
            help="turn on the link of a group, or change how many people may join by it",
        )
        people.add_argument(
            "--replace-group",
            action="store_true",
            help="make a new link for the group; the old one stops working",
        )
        people.add_argument(
            "--revoke-group",
            action="store_true",
            help="turn the group's link off; people who have joined can continue",
        )

        parser.add_argument(
            "--launch",
            action="store_true",
            help="first launch every batch that is not launched yet, for invited people, unpaid",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign called {options['campaign']!r}.")
        try:
            if options["launch"]:
                _launch(campaign)
            rows = self._rows(campaign, options)
        except DomainError as error:
            raise CommandError(str(error)) from None
        if rows:
            csv.writer(self.stdout).writerows([("person", "link"), *rows])

    def _rows(self, campaign: Campaign, options: dict[str, Any]) -> list[Row]:
        if options["revoke_group"]:
            group_link_revoke(campaign=campaign, by=None)
            self.stderr.write("The group link is turned off.")
            return []
        if options["replace_group"] or options["group"] is not None:
            return self._group_rows(campaign, options["group"])
        return _personal_rows(campaign, options["people"] or _guests(options["count"]))

    def _group_rows(self, campaign: Campaign, people: int | None) -> list[Row]:
        """``people``: None for a new link with the old one's limit."""
        if people is None:
            link = group_link_replace(campaign=campaign, by=None)
        else:
            link = group_link_offer(campaign=campaign, people=people, by=None)
        self.stderr.write(CAUTION)
        return [(f"group, {joined_sentence(link)}", join_address(link))]


def _guests(count: int) -> list[str]:
    return [f"guest {number + 1}" for number in range(count)]


def _launch(campaign: Campaign) -> None:
    """In the owner's name: a command has no account of its own."""
    choices = Choices(crowd=INVITED, reward=Decimal("0"))
    for batch in batches_to_launch(campaign):
        batch_launch(batch=batch, choices=choices, by=campaign.owner)
    campaign.refresh_from_db()
    outbox_run_task.delay_on_commit(INVITED)  # type: ignore[attr-defined]


def _personal_rows(campaign: Campaign, names: list[str]) -> list[Row]:
    invitations = annotators_invite(campaign=campaign, names=names)
    return [(row.name, entry_address(invitation_entry(row))) for row in invitations]
