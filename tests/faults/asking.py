"""`python -m tests.faults.asking`: a key for the API, and the address of a campaign's result."""

from __future__ import annotations

import json
import sys


def main() -> None:
    import django

    django.setup()
    from analysis.services.keys import key_create
    from hits.models import Campaign

    campaign = Campaign.objects.get()
    key = key_create(owner=campaign.owner, name="clicks")
    json.dump([key, f"/api/campaigns/{campaign.slug}/result"], sys.stdout)


if __name__ == "__main__":
    main()
