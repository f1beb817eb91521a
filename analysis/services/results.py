"""Results of a campaign, computed by a worker and kept as a cache; evaluations are kept alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from django.db import transaction

from analysis.models import Computed, Result
from analysis.presenting.listings import ANNOTATORS, CAPTIONS, write_listing
from analysis.results.folder import ResultFolder
from analysis.results.listings import annotators_listing, captions_listing
from analysis.results.pipeline import analyse, summarise
from analysis.results.settings import Settings
from analysis.results.snapshot import Columns
from analysis.selectors.captions import captions_found
from analysis.selectors.ratings import evidence_of, notes_on, ratings_of
from analysis.selectors.results import result_folder, reviews_fingerprint
from analysis.services.requests import without_stop
from analysis.services.snapshots import snapshot_refresh
from daplatform.jobs.services import job_alive, job_done, job_failed
from daplatform.shared_files import folder_forget, folder_share
from hits.models import Campaign

KEPT = 3
"""Rows with the same choices that are worth their space: the latest."""
Numbers = tuple[str, dict[str, Any]]
"""A signature, and what is stored in the row."""


def computed_make(
    row: Any,
    compute: Callable[[Any, Columns], Numbers],
    *,
    evidence: Callable[[Campaign], str],
    folder: Callable[[Any], Path],
) -> None:
    """Compute with the ratings up to the row's last one, and keep what comes out."""
    columns = snapshot_refresh(campaign=row.campaign).read()
    known = evidence(row.campaign)
    try:
        signature, summary = compute(row, ratings_until(columns, row.last_rating))
    except ValueError as error:
        return computed_fail(row, str(error), known)
    folder_share(folder(row), claim=partial(job_alive, job=row))
    if job_done(job=row, signature=signature, summary=summary, evidence=known):
        _prune(row, folder)


def computed_fail(row: Computed, problem: str, evidence: str) -> None:
    """Keep why there are no numbers, and of which evidence that is true."""
    told = without_stop(problem)
    job_failed(job=row, problem=told, signature="", summary={}, evidence=evidence)


@transaction.atomic
def _prune(row: Any, folder: Callable[[Any], Path]) -> None:
    same = type(row).objects.filter(campaign=row.campaign, choices_key=row.choices_key)
    done = same.exclude(status__in=row.ACTIVE).order_by("-last_rating")
    for old in done[KEPT:]:
        folder_forget(folder(old))
        old.delete()


def ratings_until(columns: Columns, last: int) -> Columns:
    """Ratings that arrived since were not asked for: the signature names the last one that was."""
    kept = columns["id"] <= last
    return {name: values[kept] for name, values in columns.items()}


def result_compute(result: Result) -> None:
    """Rank the systems."""
    computed_make(result, _compute, evidence=reviews_fingerprint, folder=result_folder)


def result_fail(result: Result, problem: str) -> None:
    computed_fail(result, problem, reviews_fingerprint(result.campaign))


def _compute(result: Result, columns: Columns) -> Numbers:
    campaign = result.campaign
    known = {
        "planned_captions": campaign.videos.count() or None,
        "thorough": True,
        "protocol": campaign.protocol,
    }
    choices = Settings(**result.choices | known)
    analysis = analyse(ratings_of(campaign, columns), choices, evidence_of(campaign, columns))
    captions = {**captions_found(campaign, analysis), **captions_listing(analysis)}
    with ResultFolder(result_folder(result)) as folder:
        write_listing(folder / CAPTIONS, captions)
        write_listing(folder / ANNOTATORS, annotators_listing(analysis))
    return str(analysis.signature), summarise(analysis, notes=notes_on(campaign)).as_json()
