"""What a paper says of its data, for a campaign: asked for by a page, made by a worker, kept."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass

from django.conf import settings
from django.db import transaction

from analysis.evaluation.description import TABLES, Data, described
from analysis.evaluation.files import table
from analysis.evaluation.scoring import Scorer
from analysis.metrics.config import MetricConfig
from analysis.models import Description
from analysis.presenting.listings import write_listing
from analysis.results.folder import ResultFolder
from analysis.selectors.descriptions import (
    caption_texts,
    cost_rows,
    description_evidence,
    description_folder,
    description_is_here,
)
from analysis.selectors.ratings import last_rating
from analysis.services.results import make_again, try_again, without_stop
from analysis.services.snapshots import campaign_ratings
from daplatform.jobs.services import job_done, job_failed
from hits.models import Campaign

KEPT = 2
VERSION = "1"


@dataclass(frozen=True)
class Choices:
    """Similarity is that of words: quick, and it needs no model."""

    similarity: str = "rougel"
    draws: int = 100
    seed: int = 7


def description_request(*, campaign: Campaign) -> Description | None:
    """The row for the campaign of this moment, made if it is new; None without any caption.

    Whoever gets a waiting row wakes a worker for it; twice does no harm.
    """
    choices, evidence = Choices(), description_evidence(campaign)
    if not evidence:
        return None
    row, _ = Description.objects.get_or_create(
        campaign=campaign,
        choices_key=choices_key(choices),
        last_rating=last_rating(campaign) or 0,
        evidence=evidence,
        defaults={"choices": asdict(choices)},
    )
    row.campaign = campaign
    if row.status == Description.Status.DONE and not description_is_here(row):
        make_again(row)
    try_again(row)
    return row


def choices_key(choices: Choices) -> str:
    text = json.dumps(asdict(choices) | {"version": VERSION}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def campaign_data(campaign: Campaign) -> Data:
    """Captions, references, ratings and cost of a campaign."""
    systems, references = caption_texts(campaign)
    try:
        ratings = campaign_ratings(campaign)
    except ValueError:  # nobody has rated yet
        ratings = None
    return Data(systems, references, ratings, cost=cost_rows(campaign, len(systems)))


def description_compute(row: Description) -> None:
    """Describe the campaign and keep the tables."""
    choices = Choices(**row.choices)
    scorer = Scorer([choices.similarity], MetricConfig(store=settings.METRIC_STORE).context())
    try:
        data = campaign_data(row.campaign)
        found, said = described(data, scorer, draws=choices.draws, seed=choices.seed)
    except ValueError as error:
        return description_fail(row, str(error))
    with ResultFolder(description_folder(row)) as folder:
        for name, rows in found.items():
            write_listing(folder / f"{name}.arrow", table(rows, TABLES[name]))
    told = {**row.choices, "last_rating": row.last_rating, "data": row.evidence, "version": VERSION}
    signature = "|".join(f"{name}:{value}" for name, value in told.items())
    if job_done(job=row, signature=signature, summary={"said": said}):
        _prune(row)


def description_fail(row: Description, problem: str) -> None:
    job_failed(job=row, problem=without_stop(problem))


@transaction.atomic
def _prune(row: Description) -> None:
    """Only the latest are worth their space."""
    same = Description.objects.filter(campaign=row.campaign, choices_key=row.choices_key)
    for old in same.exclude(status__in=Description.ACTIVE).order_by("-finished_at")[KEPT:]:
        shutil.rmtree(description_folder(old), ignore_errors=True)
        old.delete()
