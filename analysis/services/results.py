"""Results of a campaign: asked for by pages, computed by a worker, kept as a cache."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from analysis.models import Computed, Result
from analysis.presenting.listings import (
    ANNOTATORS,
    CAPTIONS,
    annotators_listing,
    captions_listing,
    write_listing,
)
from analysis.results.folder import ResultFolder
from analysis.results.pipeline import Settings, analyse
from analysis.results.registry import registered, summarise
from analysis.results.snapshot import Columns
from analysis.selectors.captions import captions_found
from analysis.selectors.ratings import (
    evidence_of,
    last_rating,
    notes_on,
    ratings_of,
    reviews_fingerprint,
)
from analysis.selectors.results import result_folder, result_has_listings
from analysis.services.snapshots import snapshot_refresh
from daplatform.jobs.kinds import UNEXPECTED
from daplatform.jobs.services import job_done, job_failed
from hits.models import Campaign

KEPT = 3
ARRIVED_AFTER = timedelta(minutes=2)
"""Files that are not here so soon after they were made are elsewhere: the folder is not shared, and
making them again and again would not bring them."""
TRIED_AGAIN_AFTER = timedelta(minutes=10)
RENEWED_AFTER = timedelta(minutes=5)
Status = Result.Status


def result_request(*, campaign: Campaign, choices: Settings) -> Result | None:
    """The row for the ratings of this moment, made if it is new; None without any ratings.

    Whoever gets a waiting row wakes a worker for it; twice does no harm.
    """
    last = last_rating(campaign)
    if last is None:
        return None
    # The numbers are many, and not looked at here.
    result: Result = Result.objects.defer("summary").get_or_create(
        campaign=campaign,
        choices_key=choices_key(choices),
        last_rating=last,
        defaults={"choices": asdict(choices)},
    )[0]
    result.campaign = campaign  # known already, not to be fetched again
    _renew_if_reviewed(result)
    if result.status == Status.DONE and not result_has_listings(result):
        make_again(result)
    try_again(result)
    return result


def result_renew(*, campaign: Campaign, choices: Settings, now: datetime) -> Result | None:
    """A result a worker is to be woken for: there is none yet, or the last has grown old.

    Ratings may come in every second and a page may look every ten: making a result of each moment
    would keep workers at nothing else.
    """
    mine = Result.objects.filter(campaign=campaign, choices_key=choices_key(choices))
    if mine.active().exists() or mine.filter(finished_at__gt=now - RENEWED_AFTER).exists():
        return None
    wanted = result_request(campaign=campaign, choices=choices)
    return wanted if wanted is not None and wanted.is_active else None


def _renew_if_reviewed(result: Result) -> None:
    """Reviewing since then may have changed which ratings count: then it is made anew, and shown
    as it was until then."""
    if result.is_active:
        return
    if result.decisions != reviews_fingerprint(result.campaign):
        Result.objects.filter(pk=result.pk).again()
        result.refresh_from_db()


def try_again(failed: Computed) -> None:
    """Have made anew what failed for a fault of ours, which may have been mended since."""
    if failed.problem == without_stop(UNEXPECTED):
        long_ago = timezone.now() - TRIED_AGAIN_AFTER
        type(failed).objects.filter(pk=failed.pk, finished_at__lt=long_ago).again()
        failed.refresh_from_db(fields=["status", "problem"])


def make_again(lost: Computed) -> None:
    """Have the files made that are gone, as after a restore, which brings back rows alone; the row
    is shown as it is until then."""
    long_ago = timezone.now() - ARRIVED_AFTER
    type(lost).objects.filter(pk=lost.pk, status=Status.DONE, finished_at__lt=long_ago).again()
    lost.refresh_from_db(fields=["status"])


def choices_key(choices: Settings) -> str:
    text = json.dumps(asdict(choices) | {"findings": registered()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def result_compute(result: Result) -> None:
    """Analyse the ratings up to the result's last one and keep what comes out."""
    columns = snapshot_refresh(campaign=result.campaign).read()
    decisions = reviews_fingerprint(result.campaign)
    try:
        signature, summary = _compute(result, ratings_until(columns, result.last_rating))
    except ValueError as error:
        return result_fail(result, str(error))
    if job_done(job=result, signature=signature, summary=summary, decisions=decisions):
        _prune(result)


def result_fail(result: Result, problem: str) -> None:
    """Keep why there is no result, and of which decisions that is true."""
    decisions, told = reviews_fingerprint(result.campaign), without_stop(problem)
    job_failed(job=result, problem=told, signature="", summary={}, decisions=decisions)


def without_stop(sentence: str) -> str:
    """As pages want it, who put it into sentences of their own."""
    return sentence.removesuffix(".")


def ratings_until(columns: Columns, last: int) -> Columns:
    """Ratings that arrived since were not asked for: the signature names the last one that was."""
    kept = columns["id"] <= last
    return {name: values[kept] for name, values in columns.items()}


def _compute(result: Result, columns: Columns) -> tuple[str, dict[str, Any]]:
    campaign = result.campaign
    known = {"planned_captions": campaign.videos.count() or None, "thorough": True}
    choices = Settings(**result.choices | known)
    analysis = analyse(ratings_of(campaign, columns), choices, evidence_of(campaign, columns))
    captions = {**captions_found(campaign, analysis), **captions_listing(analysis)}
    with ResultFolder(result_folder(result)) as folder:
        write_listing(folder / CAPTIONS, captions)
        write_listing(folder / ANNOTATORS, annotators_listing(analysis))
    return str(analysis.signature), summarise(analysis, notes=notes_on(campaign)).as_json()


@transaction.atomic
def _prune(result: Result) -> None:
    """Of results with the same choices, only the latest are worth their space."""
    same = Result.objects.filter(campaign=result.campaign, choices_key=result.choices_key)
    done = same.exclude(status__in=Result.ACTIVE).order_by("-last_rating")
    for old in done[KEPT:]:
        shutil.rmtree(result_folder(old), ignore_errors=True)
        old.delete()
