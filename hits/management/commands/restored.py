"""`restored`: whatever waits to be told to a crowd is looked up there before it is sent."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from daplatform.wording import counted
from hits.mark import MarkUnwritable
from hits.services.restoring import restore_declare


class Command(BaseCommand):
    help = (
        "Say that the database comes from a back-up. What it still has to tell crowds is looked "
        "up there first; what was done already is recorded, and not done again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            found = restore_declare()
        except MarkUnwritable as error:
            raise CommandError(str(error), returncode=2) from None
        self.stdout.write(f"{counted(found, 'act is', 'acts are')} looked up before being sent.")
