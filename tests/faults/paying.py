"""`python -m tests.faults.paying AMOUNT [ONCE]`: all are paid, and one gets a bonus."""

from __future__ import annotations

import sys
from decimal import Decimal


def main(amount: Decimal, once: str = "once") -> None:
    import django

    django.setup()
    from crowds.models import Launch, Submission
    from crowds.services.outbox import outbox_run
    from crowds.services.reviews import submission_bonus, submissions_pay
    from crowds.services.submissions import launch_sync

    launch = Launch.objects.get()
    launch_sync(launch=launch)
    campaign, people = launch.batch.campaign, list(Submission.objects.order_by("pk"))
    submissions_pay(campaign=campaign, submissions=people)
    outbox_run(crowd=launch.crowd)
    submission_bonus(
        campaign=campaign, submission=people[0], amount=amount, reason="Careful work.",
        once=once, by=campaign.owner,
    )  # fmt: skip


if __name__ == "__main__":
    main(Decimal(sys.argv[1]), *sys.argv[2:])
