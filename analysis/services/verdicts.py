"""What quality control says of each annotator now, told to those who review their work."""

from __future__ import annotations

import math

from django.db.models import Max
from django.utils import timezone

from analysis.selectors.ratings import ratings_of
from analysis.services.snapshots import snapshot_refresh
from analysis.stats.quality import check_quality
from annotations.models import Annotator
from crowds.models import Submission, Verdict
from crowds.registry import marketplaces
from crowds.selectors.counting import ratings_confirmed
from crowds.services.reviews import verdicts_record
from hits.models import Campaign


def verdicts_refresh(*, campaign: Campaign) -> None:
    """Judge everybody again, if anything was rated, or anybody confirmed, since the last time."""
    last = ratings_confirmed(campaign).aggregate(at=Max("created_at"))["at"]
    named = Submission.objects.filter(assignment__campaign=campaign, crowd__in=marketplaces())
    named_at = named.aggregate(at=Max("created_at"))["at"]
    seen = Verdict.objects.filter(campaign=campaign).aggregate(at=Max("checked_at"))["at"]
    if last is None or (seen is not None and seen > max(last, named_at or last)):
        return
    now = timezone.now()
    try:
        ratings = ratings_of(campaign, snapshot_refresh(campaign=campaign).read())
    except ValueError:  # everything is left out
        return
    quality = check_quality(ratings, minimum_pairs=campaign.min_pairs)
    people = Annotator.objects.filter(assignments__campaign=campaign)
    keys = dict(people.values_list("pseudonym", "pk"))
    verdicts_record(
        campaign=campaign,
        verdicts=[
            Verdict(
                campaign=campaign,
                annotator_id=keys[name],
                status=quality.status[place],
                p=_number(quality.pairs.p[place]),
                pairs=int(quality.pairs.n[place]),
                checked_at=now,
            )
            for place, name in enumerate(ratings.annotators)
        ],
    )


def _number(value: float) -> float | None:
    """Databases hold no NaN: not defined is empty."""
    return None if math.isnan(value) else float(value)
