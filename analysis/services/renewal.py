"""Keeping the result of a campaign that is watched from growing old."""

from __future__ import annotations

from datetime import datetime, timedelta

from analysis.models import Result
from analysis.pipeline import Settings
from analysis.services.results import choices_key, result_request
from hits.models import Campaign

RENEWED_AFTER = timedelta(minutes=5)
State = Result.State


def result_renew(*, campaign: Campaign, choices: Settings, now: datetime) -> Result | None:
    """A result a worker is to be woken for: there is none yet, or the last has grown old.

    Ratings may come in every second and a page may look every ten: making a result of each moment
    would keep workers at nothing else.
    """
    mine = Result.objects.filter(campaign=campaign, choices_key=choices_key(choices))
    if mine.filter(state=State.WAITING).exists():
        return None
    if mine.filter(finished_at__gt=now - RENEWED_AFTER).exists():
        return None
    wanted = result_request(campaign=campaign, choices=choices)
    return wanted if wanted is not None and wanted.state == State.WAITING else None
