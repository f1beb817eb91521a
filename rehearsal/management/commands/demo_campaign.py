"""Render and import the demo campaigns."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from hits.importing.reading import read_campaign
from hits.management.reporting import progress_bar, report_faults
from hits.models import Campaign
from rehearsal.demo import write_demo_campaign
from rehearsal.demo.plans import LITTLE, PLANS
from rehearsal.services import demo_campaign_create


class Command(BaseCommand):
    help = "Render the demo's clips and import its campaigns, with accounts. Safe to run again."

    def handle(self, *args: Any, **options: Any) -> None:
        if not (settings.DEBUG or getattr(settings, "IS_DEMO", False)):
            sentence = (
                "The demo's passwords are public, so it never goes into a database of your own: "
                "run it with make demo, or with DJANGO_SETTINGS_MODULE=rehearsal.settings."
            )
            raise CommandError(sentence, returncode=2)
        rendered = settings.DATA_DIR / LITTLE.folder
        write_demo_campaign(rendered)
        for plan in PLANS:
            folder = settings.DATA_DIR / plan.folder
            copy_clips(rendered, folder)
            write_demo_campaign(folder, plan=plan)
            campaign = self.create(folder)
            self.stdout.write(f"“{campaign.name}” is at {campaign.get_absolute_url()}")

    def create(self, folder: Path) -> Campaign:
        with progress_bar(self.stderr) as progress:
            reading = read_campaign(folder, progress=progress)
            report_faults(self.stderr, reading.faults)
            return demo_campaign_create(reading=reading, progress=progress)


def copy_clips(source: Path, target: Path) -> None:
    """All campaigns show the same scenes: rendering them again would take a minute."""
    if not (target / "clips").exists():
        shutil.copytree(source / "clips", target / "clips")
