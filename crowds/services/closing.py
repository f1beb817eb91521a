"""Closing a campaign for good reason, by hand or by rule, and reopening it in time."""

from __future__ import annotations

import datetime as dt

from django.contrib.auth.models import User
from django.db import transaction

from crowds.models import AuditEntry
from crowds.selectors.closing import (
    REOPENED,
    finished_campaigns,
    open_launches,
    reopening_obstacle,
)
from crowds.services.launches import launch_close
from crowds.services.money import campaign_lock
from daplatform.errors import DomainError
from hits.models import Campaign
from hits.services.campaigns import campaign_close, campaign_reopen

CLOSED = "campaign closed"


@transaction.atomic
def campaign_end(*, campaign: Campaign, by: User | None) -> None:
    """Close the campaign and every launch of it. Who is at work may finish, and is paid.

    Raises DomainError while submitted work is not decided. Doing it twice changes nothing.
    """
    if campaign_lock(campaign).state == Campaign.State.CLOSED:
        return
    for launch in open_launches(campaign):
        launch_close(launch=launch, by=by)
    campaign_close(campaign=campaign)
    AuditEntry.objects.create(campaign=campaign, person=by, action=CLOSED)


@transaction.atomic
def campaign_begin_again(
    *, campaign: Campaign, by: User | None, now: dt.datetime, days: int
) -> None:
    """Reopen a closed campaign while it is known who took part; `days` are those of retention."""
    campaign_lock(campaign)
    if obstacle := reopening_obstacle(campaign, now=now, days=days):
        raise DomainError(obstacle)
    campaign_reopen(campaign=campaign)
    AuditEntry.objects.create(campaign=campaign, person=by, action=REOPENED)


def campaigns_end_finished() -> list[Campaign]:
    """Close every campaign whose launches are all closed and decided. Safe to run twice."""
    finished = list(finished_campaigns())
    for campaign in finished:
        campaign_end(campaign=campaign, by=None)
    return finished
