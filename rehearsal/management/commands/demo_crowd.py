"""Let simulated crowds rate the demo's campaigns that are to be looked at, once."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from annotations.models import Rating
from rehearsal.demo.plans import PLANS, Crowd, Plan
from rehearsal.services import demo_campaign_find


class Command(BaseCommand):
    help = "Let simulated crowds rate the demo's campaigns. Safe to run again."

    def handle(self, *args: Any, **options: Any) -> None:
        for plan in PLANS:
            if plan.crowd:
                self.rate(plan, plan.crowd)

    def rate(self, plan: Plan, crowd: Crowd) -> None:
        campaign = demo_campaign_find(plan)
        if campaign is None:
            raise CommandError("There is no such campaign yet: run manage.py demo_campaign.")
        if not Rating.objects.filter(campaign=campaign).exists():
            call_command("simulate_crowd", campaign.slug, **asdict(crowd), stdout=self.stdout)
