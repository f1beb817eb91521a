"""Import a campaign from a folder or a zip."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from daplatform.errors import DomainError
from daplatform.jobs.tasks import job_wake
from hits.importing.reading import read_campaign
from hits.management.reporting import progress_bar, report_faults
from hits.models import Rendition
from hits.services.importing import campaign_import


class Command(BaseCommand):
    help = "Check a campaign's folder or zip and import it, all or nothing."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("source", type=Path, help="the folder or zip")
        parser.add_argument("--owner", help="owner of the campaign (default: the only account)")
        parser.add_argument("--check", action="store_true", help="report errors, write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = None if options["check"] else find_owner(options["owner"])
        with tempfile.TemporaryDirectory() as workspace, progress_bar(self.stderr) as progress:
            reading = read_campaign(options["source"], workspace=Path(workspace), progress=progress)
            report_faults(self.stderr, reading.faults)
            self.stdout.write(
                f"{len(reading.videos):,} videos, {len(reading.systems):,} systems, "
                f"{len(reading.video):,} captions"
            )
            if owner is None:
                return
            try:
                campaign = campaign_import(reading=reading, owner=owner, progress=progress)
            except DomainError as error:
                raise CommandError(str(error), returncode=2) from None
        renditions = Rendition.objects.of(campaign).due()
        for rendition in renditions:
            job_wake(rendition)
        if renditions:
            self.stdout.write(f"{len(renditions):,} conversions of videos wait for a worker")
        self.stdout.write(f"“{campaign.name}” is at {campaign.get_absolute_url()}")


def find_owner(username: str | None) -> User:
    """The person named, or the only one there is."""
    people = User.objects.filter(is_active=True)
    # An argument that is not UTF-8 names nobody, and no database could be asked for it.
    known = people.filter(username=username) if (username or "").isprintable() else people.none()
    found = list(known if username else people[:2])
    if len(found) == 1:
        return found[0]
    if username:
        raise CommandError(f"There is no account called {username}.", returncode=2)
    if not found:
        raise CommandError("There is no account yet: run manage.py createsuperuser.", returncode=2)
    raise CommandError("There are several accounts: name the owner with --owner.", returncode=2)
