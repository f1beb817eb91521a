"""`reconcile [CAMPAIGN]`: every difference between our rows and the crowds', one to a line.

Turns that a crowd has not confirmed are named too. They are no difference: anybody can make one.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.selectors.confirming import unconfirmed_sentences
from annotations.services.reconciling import launch_reconcile
from hits.crowds.gateway import CrowdError
from hits.models import Launch


class Command(BaseCommand):
    help = "Compare launches with what their crowds know; exits with 1 when anything differs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "campaign", nargs="?", help="the campaign's short name; all of them without"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        launches = Launch.objects.select_related("batch__campaign").order_by("pk")
        if options["campaign"]:
            launches = launches.filter(batch__campaign__slug=options["campaign"])
        else:
            launches = launches.exclude(state=Launch.State.CLOSED)
        if not launches:
            raise CommandError("There is no launch to compare.")
        found = sum(self._compare(launch) for launch in launches)
        if found:
            raise CommandError(f"{found} differences.", returncode=1)
        self.stdout.write("Nothing differs.")

    def _compare(self, launch: Launch) -> int:
        try:
            differences = launch_reconcile(launch=launch)
        except CrowdError as error:
            raise CommandError(f"{launch}: {error}") from None
        for difference in differences:
            self.stdout.write(f"{launch}: {difference}")
        for sentence in unconfirmed_sentences(hit__batch=launch.batch):
            self.stdout.write(f"Not confirmed: {sentence}.")
        return len(differences)
