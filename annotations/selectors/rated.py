"""Which campaigns have all the ratings they asked for."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from annotations.models import Assignment
from hits.models import Campaign, Hit

UNFINISHED = (Assignment.State.OPEN, Assignment.State.ACTIVE)


def campaigns_rated(campaigns: QuerySet[Campaign]) -> QuerySet[Campaign]:
    """Those of them that are live still, with every HIT offered and nothing left to rate."""
    placed = Assignment.objects.filter(slot__isnull=False)
    standing = placed.exclude(state__in=Assignment.GIVEN_UP)
    hits = Hit.objects.filter(batch__campaign=OuterRef("pk"))
    return campaigns.filter(
        Exists(hits),
        ~Exists(hits.exclude(Exists(standing.filter(hit=OuterRef("pk"))))),
        ~Exists(placed.filter(campaign=OuterRef("pk"), state__in=UNFINISHED)),
        state=Campaign.State.LIVE,
    )
