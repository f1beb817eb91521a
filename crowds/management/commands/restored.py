"""`restored`: whatever waits to be told to a crowd is looked up there before it is sent."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crowds.services.restoring import (
    MarkUnwritable,
    publications_in_doubt,
    publications_trust,
    restore_declare,
)
from daplatform.wording import counted


class Command(BaseCommand):
    help = (
        "Tell the site that the database was restored from a back-up. Messages still waiting to "
        "be sent are looked up at the crowds first; what was already done is recorded and not "
        "repeated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--publish",
            action="store_true",
            help="after checking the crowds: publish what they do not have",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["publish"]:
            found = publications_trust()
            self.stdout.write(f"{counted(found, 'publication is', 'publications are')} made again.")
            return
        try:
            found = restore_declare()
        except MarkUnwritable as error:
            raise CommandError(str(error), returncode=2) from None
        self.stdout.write(
            f"{counted(found, 'request is', 'requests are')} looked up before being sent."
        )
        if doubted := publications_in_doubt().count():
            self.stdout.write(
                f"{counted(doubted, 'publication is', 'publications are')} among what waits. Those "
                "that the crowd does not have will wait for you on the Crowd page, because they "
                "may have been deleted there; reconcile names them, restored --publish sends them."
            )
