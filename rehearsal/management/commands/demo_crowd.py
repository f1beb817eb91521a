"""Let a simulated crowd rate the demo's second campaign, once."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from annotations.models import Rating
from hits.models import Campaign
from rehearsal.demo.people import RATED_NAME

ANNOTATORS = 30
SEED = 1


class Command(BaseCommand):
    help = "Let a simulated crowd rate the demo's second campaign. Safe to run again."

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(name=RATED_NAME, is_demo=True).first()
        if campaign is None:
            raise CommandError("There is no such campaign yet: run manage.py demo_campaign.")
        if not Rating.objects.filter(campaign=campaign).exists():
            call_command(
                "simulate_crowd",
                campaign.slug,
                annotators=ANNOTATORS,
                seed=SEED,
                stdout=self.stdout,
            )
