"""`python -m tests.faults.campaign N [PROTOCOL]`: a campaign for N people, and their links as JSON.

`python -m tests.faults.campaign back` sends the first video of everybody's work back to them.
"""

from __future__ import annotations

import json
import sys
import uuid

HIT_SIZE = 20
SIZES = {
    "direct": {"videos": 24, "hit_size": HIT_SIZE, "pairs": 2, "repeats": 1},
    "factuality": {
        "videos": 4, "systems": 4, "hit_size": HIT_SIZE, "pairs": 0, "repeats": 0,
        "questions": {"form": [{"name": "town", "text": "Where do you live?", "kind": "text"}]},
    },
}  # fmt: skip


def main(people: int, protocol: str = "direct") -> None:
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
        protocol=protocol, assignments=people, **SIZES[protocol],
    )  # fmt: skip
    batch_compose(campaign=campaign)
    batches_open(campaign=campaign)
    names = [f"Person {number}" for number in range(people)]
    invitations = annotators_invite(campaign=campaign, names=names)
    json.dump([entry_path(invitation_entry(row)) for row in invitations], sys.stdout)


def send_back() -> None:
    import django

    django.setup()
    from annotations.models import Assignment
    from crowds.services.reviews import video_send_back

    done = Assignment.objects.filter(campaign__protocol="factuality", state="submitted")
    for turn in done.filter(corrections=None):
        video = turn.hit.items.get(position=0).caption.video
        video_send_back(assignment=turn, video=video, remark="Look at it again.")


if __name__ == "__main__":
    if sys.argv[1] == "back":
        send_back()
    else:
        main(int(sys.argv[1]), *sys.argv[2:])
