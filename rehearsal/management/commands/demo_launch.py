"""Offer the demo's campaign of little scenes on the rehearsal marketplace, once."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crowds.gateway import CrowdError
from crowds.models import Launch
from crowds.selectors.offering import Choices
from crowds.services.launches import batch_launch, policy_update
from crowds.services.outbox import outbox_run
from daplatform.errors import DomainError
from hits.services.composing import batch_compose
from rehearsal.demo.plans import LITTLE
from rehearsal.services import demo_campaign_find

CROWD = "mturk"
BUDGET = Decimal("100.00")


class Command(BaseCommand):
    help = "Launch a batch of the demo's little scenes on the rehearsal marketplace. Safe again."

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = demo_campaign_find(LITTLE)
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
        outbox_run(crowd=CROWD)
        self.stdout.write(f"“{campaign}”, batch {launch.batch.number}, is offered to workers.")
