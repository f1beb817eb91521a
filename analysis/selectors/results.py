"""Results that can be shown."""

from __future__ import annotations

from analysis.models import Result
from hits.models import Campaign


def result_latest(campaign: Campaign, choices_key: str) -> Result | None:
    """The newest finished result with these choices, however old."""
    same = Result.objects.filter(campaign=campaign, choices_key=choices_key)
    return same.exclude(state=Result.State.WAITING).order_by("-last_rating").first()
