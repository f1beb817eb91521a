"""Results of a campaign: asked for by pages, computed by a worker, kept as a cache."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict
from datetime import timedelta

from django.db import transaction
from django.db.models import Max, QuerySet
from django.db.models.fields.json import KT
from django.utils import timezone

from analysis.exports import FORMATS
from analysis.listings import (
    ANNOTATORS,
    CAPTIONS,
    annotators_listing,
    captions_listing,
    write_listing,
)
from analysis.models import Computed, Result
from analysis.page import results_page
from analysis.pipeline import Settings, analyse
from analysis.report import significance_picture, write_report
from analysis.results import ADJUSTED, ResultFolder, result_files, write_files
from analysis.selectors.captions import captions_found
from analysis.selectors.ratings import (
    evidence_of,
    notes_on,
    ratings_of,
    reviews_fingerprint,
)
from analysis.selectors.results import result_folder, result_has_listings
from analysis.services.snapshots import snapshot_refresh
from analysis.services.waiting import waiting_for_space
from analysis.snapshot import Columns
from analysis.trust import assess_trust
from annotations.models import Rating
from hits.models import Campaign

KEPT = 3
LAYOUT = 4
"""Of what is stored with a result: those of an older layout are not found, but made anew."""
ARRIVED_AFTER = timedelta(minutes=2)
"""Files that are not here so soon after they were made are elsewhere: the folder is not shared, and
making them again and again would not bring them."""
State = Result.State


def result_request(*, campaign: Campaign, choices: Settings) -> Result | None:
    """The row for the ratings of this moment, made if it is new; None without any ratings.

    Whoever gets a waiting row wakes a worker for it; twice does no harm.
    """
    last = Rating.objects.filter(campaign=campaign).aggregate(last=Max("pk"))["last"]
    if last is None:
        return None
    # What the page shows is large, and not looked at here but for one word of it.
    rows = Result.objects.defer("page").annotate(decided=KT("page__decisions"))
    result: Result = rows.get_or_create(
        campaign=campaign,
        choices_key=choices_key(choices),
        last_rating=last,
        defaults={"choices": asdict(choices)},
    )[0]
    result.campaign = campaign  # known already, not to be fetched again
    _renew_if_reviewed(result)
    if result.state == State.READY and not result_has_listings(result):
        make_again(result)
    return result


def _renew_if_reviewed(result: Result) -> None:
    """Reviewing since then may have changed which ratings count: then it is made anew, and shown
    as it was until then."""
    if result.state == State.WAITING:
        return
    decided = getattr(result, "decided", None) or ""
    if decided != reviews_fingerprint(result.campaign):
        Result.objects.filter(pk=result.pk).update(state=State.WAITING, claimed_at=None)
        result.refresh_from_db()


def make_again(lost: Computed) -> None:
    """Have the files made that are gone, as after a restore, which brings back rows alone; the row
    is shown as it is until then."""
    long_ago = timezone.now() - ARRIVED_AFTER
    made = type(lost).objects.filter(pk=lost.pk, state=State.READY, finished_at__lt=long_ago)
    made.update(state=State.WAITING, claimed_at=None)
    lost.refresh_from_db(fields=["state"])


def choices_key(choices: Settings) -> str:
    text = json.dumps(asdict(choices) | {"layout": LAYOUT}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def results_left_behind() -> QuerySet[Result]:
    """Results that a worker should be busy with, and none is."""
    return Result.objects.left_behind()


def result_compute(*, pk: int) -> None:
    """Analyse the ratings up to the result's last one and keep what comes out. Safe twice."""
    if Result.objects.claim(pk):
        with waiting_for_space(Result.objects.filter(pk=pk)):
            _make(Result.objects.select_related("campaign").get(pk=pk))


def _make(result: Result) -> None:
    columns = snapshot_refresh(campaign=result.campaign).read()
    decisions = reviews_fingerprint(result.campaign)
    try:
        _compute(result, ratings_until(columns, result.last_rating))
    except ValueError as error:
        result.state, result.problem = State.FAILED, str(error)[:500]
        result.signature, result.page = "", {}
    result.page |= {"decisions": decisions}
    result.finished_at = timezone.now()
    result.save()
    _prune(result)


def ratings_until(columns: Columns, last: int) -> Columns:
    """Ratings that arrived since were not asked for: the signature names the last one that was."""
    kept = columns["id"] <= last
    return {name: values[kept] for name, values in columns.items()}


def _compute(result: Result, columns: Columns) -> None:
    campaign = result.campaign
    known = {"planned_captions": campaign.videos.count() or None, "thorough": True}
    choices = Settings(**result.choices | known)
    analysis = analyse(ratings_of(campaign, columns), choices, evidence_of(campaign))
    trust = assess_trust(analysis)
    notes = notes_on(campaign)
    with ResultFolder(result_folder(result)) as folder:
        for name in FORMATS:
            files = result_files(analysis, format=name, latex=True, notes=notes, trust=trust)
            write_files(folder, files)
        for which, p in ADJUSTED.items():
            write_report(
                analysis,
                folder / f"report{which}.html",
                trust=trust,
                title=campaign.name,
                notes=notes,
                adjusted=p,
            )
            matrix = significance_picture(analysis, p)
            (folder / f"significance{which}.svg").write_text(matrix, encoding="utf-8")
        captions = {**captions_found(campaign, analysis), **captions_listing(analysis)}
        write_listing(folder / CAPTIONS, captions)
        write_listing(folder / ANNOTATORS, annotators_listing(analysis))
    result.page = results_page(analysis, trust) | {"notes": notes}
    result.signature = str(analysis.signature)
    result.state, result.problem = State.READY, ""


@transaction.atomic
def _prune(result: Result) -> None:
    """Of results with the same choices, only the latest are worth their space."""
    same = Result.objects.filter(campaign=result.campaign, choices_key=result.choices_key)
    done = same.exclude(state=State.WAITING).order_by("-last_rating")
    for old in done[KEPT:]:
        shutil.rmtree(result_folder(old), ignore_errors=True)
        old.delete()
