"""`python -m tests.faults.campaign N`: a campaign for N people, and their links as JSON."""

from __future__ import annotations

import json
import sys
import uuid

HIT_SIZE = 20


def main(people: int) -> None:
    import django

    django.setup()
    from django.contrib.auth.models import User

    from annotations.services.assignments import batches_open
    from crowds.invite.invitations import annotators_invite, invitation_entry
    from crowds.selectors.entry import entry_path
    from hits.services.composing import batch_compose
    from tests.factories import make_campaign

    name = uuid.uuid4().hex
    campaign = make_campaign(
        owner=User.objects.create(username=name), name=name, slug=name, source_digest=name,
        videos=24, assignments=people, hit_size=HIT_SIZE, pairs=2, repeats=1,
    )  # fmt: skip
    batch_compose(campaign=campaign)
    batches_open(campaign=campaign)
    names = [f"Person {number}" for number in range(people)]
    invitations = annotators_invite(campaign=campaign, names=names)
    json.dump([entry_path(invitation_entry(row)) for row in invitations], sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]))
