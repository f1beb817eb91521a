"""`reconcile [CAMPAIGN]`: every difference between our rows and the crowds', one to a line.

Turns that a crowd has not confirmed are named too. They are no difference: anybody can make one.
"""

from __future__ import annotations

import contextlib
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.selectors.confirming import unconfirmed_sentences
from crowds.gateway import CrowdError, Gateway, PermanentFault
from crowds.models import Launch
from crowds.registry import LABELS, connect
from crowds.services.reconciling import launch_reconcile, publications_unknown


class Command(BaseCommand):
    help = "Compare launches with their crowds' records; exits with 1 if anything differs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "campaign", nargs="?", help="the campaign's short name (default: all campaigns)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        launches = Launch.objects.select_related("batch__campaign").order_by("pk")
        if options["campaign"]:
            launches = launches.filter(batch__campaign__slug=options["campaign"])
        else:
            launches = launches.exclude(state=Launch.State.CLOSED)
        found = 0 if options["campaign"] else self._look_for_strangers()
        if options["campaign"] and not launches:
            raise CommandError("There is no launch to compare.")
        found += sum(self._compare(launch) for launch in launches)
        if found:
            raise CommandError(f"{found} differences.", returncode=1)
        self.stdout.write("Nothing differs.")

    def _look_for_strangers(self) -> int:
        """How much is out at the crowds that are set up, and belongs to no launch."""
        found = 0
        for gateway in _gateways():
            try:
                for stranger in publications_unknown(gateway):
                    self.stdout.write(stranger)
                    found += 1
            except CrowdError as error:
                raise CommandError(f"{gateway.facts.label}: {error}") from None
        return found

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


def _gateways() -> Iterator[Gateway]:
    for crowd in LABELS:
        with contextlib.suppress(PermanentFault):  # it is not set up
            yield connect(crowd)
