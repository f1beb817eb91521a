"""Offer the demo's first campaign on the rehearsal marketplace, once."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.selectors.offering import Choices
from annotations.services.launches import batch_launch, policy_update
from daplatform.errors import DomainError
from hits.crowds.gateway import CrowdError
from hits.models import Campaign, Launch
from hits.services.composing import batch_compose
from hits.services.outbox import acts_run
from rehearsal.demo.people import RATED_NAME

CROWD = "mturk"
BUDGET = Decimal("100.00")


class Command(BaseCommand):
    help = "Launch a batch of the demo's first campaign on the rehearsal marketplace. Safe again."

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(is_demo=True).exclude(name=RATED_NAME).first()
        if campaign is None:
            raise CommandError("There is no such campaign yet: run manage.py demo_campaign.")
        if Launch.objects.filter(batch__campaign=campaign).exists():
            return
        try:
            policy_update(campaign=campaign, by=campaign.owner, budget=BUDGET)
            choices = Choices(crowd=CROWD, reward=campaign.reward)
            launch = batch_launch(
                batch=batch_compose(campaign=campaign), choices=choices, by=campaign.owner
            )
        except (DomainError, CrowdError) as error:
            raise CommandError(str(error)) from None
        acts_run(crowd=CROWD)
        self.stdout.write(f"“{campaign}”, batch {launch.batch.number}, is offered to workers.")
