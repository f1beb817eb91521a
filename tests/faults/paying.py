"""`python -m tests.faults.paying AMOUNT [ONCE]`: all are paid, and one gets a bonus."""

from __future__ import annotations

import sys
from decimal import Decimal


def main(amount: Decimal, once: str = "once") -> None:
    import django

    django.setup()
    from annotations.models import Submission
    from annotations.services.reviews import submission_bonus, submissions_pay
    from annotations.services.submissions import launch_sync
    from hits.models import Launch
    from hits.services.outbox import acts_run

    launch = Launch.objects.get()
    launch_sync(launch=launch)
    campaign, people = launch.batch.campaign, list(Submission.objects.order_by("pk"))
    submissions_pay(campaign=campaign, submissions=people)
    acts_run(crowd=launch.crowd)
    submission_bonus(
        campaign=campaign, submission=people[0], amount=amount, reason="Careful work.",
        once=once, by=campaign.owner,
    )  # fmt: skip


if __name__ == "__main__":
    main(Decimal(sys.argv[1]), *sys.argv[2:])
