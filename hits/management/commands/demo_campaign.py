"""Render and import the demo campaign."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from hits.demo import write_demo_campaign
from hits.importing import read_campaign
from hits.management.reporting import progress_bar, report_faults
from hits.services.demo import demo_campaign_create


class Command(BaseCommand):
    help = "Render the demo campaign's clips and import it, with its accounts. Safe to run again."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEBUG:
            raise CommandError(
                "The demo's passwords are public: it is made with DEBUG=true only.", returncode=2
            )
        folder = settings.DATA_DIR / "demo-campaign"
        with progress_bar(self.stderr) as progress:
            write_demo_campaign(folder)
            reading = read_campaign(folder, progress=progress)
            report_faults(self.stderr, reading.faults)
            campaign = demo_campaign_create(reading=reading, progress=progress)
        self.stdout.write(f"“{campaign.name}” is at {campaign.get_absolute_url()}")
