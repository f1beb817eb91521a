"""`python -m tests.faults.launch [CROWD REWARD]`: the campaign, launched on Mechanical Turk."""

from __future__ import annotations

import sys


def main(crowd: str = "mturk", reward: str = "0.99") -> None:
    import django

    django.setup()
    from decimal import Decimal

    from crowds.selectors.offering import Choices
    from crowds.services.launches import batch_launch, policy_update
    from crowds.tasks import outbox_run_task
    from hits.models import Campaign
    from hits.services.composing import batch_compose

    campaign = Campaign.objects.get()
    policy_update(campaign=campaign, by=campaign.owner, budget=Decimal("100.00"))
    choices = Choices(crowd=crowd, reward=Decimal(reward))
    batch = batch_compose(campaign=campaign)
    batch_launch(batch=batch, choices=choices, by=campaign.owner)
    outbox_run_task.delay(crowd)


if __name__ == "__main__":
    main(*sys.argv[1:])
