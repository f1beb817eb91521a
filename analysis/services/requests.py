"""What pages want computed: a row for each set of choices and last rating, which a worker claims.

Rankings and evaluations are asked for alike. A row is made anew, and shown as it was until then,
when what it was made of has changed, its files are gone, or a fault of ours may have been mended.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from analysis.models import Computed, ComputedQuerySet, Result
from analysis.results.registry import registered
from analysis.results.settings import Settings
from analysis.selectors.results import last_rating, result_has_listings, reviews_fingerprint
from daplatform.jobs.models import Job
from daplatform.jobs.services import UNEXPECTED
from hits.models import Campaign

ARRIVED_AFTER = timedelta(minutes=2)
"""Files that are not here so soon after they were made are elsewhere: the folder is not shared, and
making them again and again would not bring them."""
TRIED_AGAIN_AFTER = timedelta(minutes=10)
RENEWED_AFTER = timedelta(minutes=5)


def computed_request(
    rows: ComputedQuerySet,
    *,
    campaign: Campaign,
    choices: Any,
    key: str,
    evidence: Callable[[Campaign], str],
    has_files: Callable[[Any], bool],
    last: int | None = None,
) -> Any:
    """The row for the ratings of this moment, made if it is new; None without any ratings.

    Whoever gets a waiting row wakes a worker for it; twice does no harm.

    Parameters
    ----------
    choices : a dataclass, and `choices_key` of it
    evidence : fingerprint of all but the ratings that decides the numbers
    has_files : whether there is what pages read beside the row
    last : the last rating that counts, where it is known, or 0 where there need be none
    """
    if campaign.asked.writes:  # nobody rates there
        return None
    last = last_rating(campaign) if last is None else last
    if last is None:
        return None
    row, _ = rows.get_or_create(
        campaign=campaign,
        choices_key=key,
        last_rating=last,
        defaults={"choices": asdict(choices)},
    )
    row.campaign = campaign  # known already, not to be fetched again
    if row.is_active:
        return row
    if row.evidence != evidence(campaign):
        type(row).objects.filter(pk=row.pk).again()
        row.refresh_from_db()
        row.campaign = campaign
    elif row.status == Job.Status.DONE and not has_files(row):
        make_again(row)
    try_again(row)
    return row


def choices_key(choices: Any, stored: str) -> str:
    """Fingerprint of what was chosen, and of how numbers are stored."""
    text = json.dumps(asdict(choices) | {"stored": stored}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def result_key(choices: Settings) -> str:
    return choices_key(choices, registered())


def result_request(*, campaign: Campaign, choices: Settings) -> Result | None:
    """The ranking of the ratings of this moment."""
    found: Result | None = computed_request(
        Result.objects.defer("summary"),  # the numbers are many, and not looked at here
        campaign=campaign,
        choices=choices,
        key=result_key(choices),
        evidence=reviews_fingerprint,
        has_files=result_has_listings,
    )
    return found


def result_renew(*, campaign: Campaign, choices: Settings, now: datetime) -> Result | None:
    """A result a worker is to be woken for: there is none yet, or the last has grown old.

    Ratings may come in every second and a page may look every ten: making a result of each moment
    would keep workers at nothing else.
    """
    mine = Result.objects.filter(campaign=campaign, choices_key=result_key(choices))
    if mine.active().exists() or mine.filter(finished_at__gt=now - RENEWED_AFTER).exists():
        return None
    wanted = result_request(campaign=campaign, choices=choices)
    return wanted if wanted is not None and wanted.is_active else None


def try_again(failed: Computed) -> None:
    """Have made anew what failed for a fault of ours, which may have been mended since."""
    if failed.problem == without_stop(UNEXPECTED):
        long_ago = timezone.now() - TRIED_AGAIN_AFTER
        type(failed).objects.filter(pk=failed.pk, finished_at__lt=long_ago).again()
        failed.refresh_from_db(fields=["status", "problem"])


def make_again(lost: Computed) -> None:
    """Have the files made that are gone, as after a restore, which brings back rows alone."""
    long_ago = timezone.now() - ARRIVED_AFTER
    rows = type(lost).objects.filter(pk=lost.pk, status=Job.Status.DONE, finished_at__lt=long_ago)
    rows.again()
    lost.refresh_from_db(fields=["status"])


def without_stop(sentence: str) -> str:
    """As pages want it, who put it into sentences of their own."""
    return sentence.removesuffix(".")
