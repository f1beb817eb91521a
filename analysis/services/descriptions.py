"""What a paper says of its data, for a campaign: requested by a page, made by a worker, kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.conf import settings

from analysis.evaluation.description import ONCE, TABLES, Data, described
from analysis.evaluation.files import table
from analysis.evaluation.scoring import Scorer
from analysis.metrics.config import MetricConfig
from analysis.models import Description
from analysis.presenting.listings import write_listing
from analysis.reading import RatingsFile
from analysis.results.folder import ResultFolder
from analysis.results.snapshot import Columns
from analysis.selectors.descriptions import (
    caption_texts,
    cost_rows,
    description_evidence,
    description_folder,
    description_is_here,
)
from analysis.selectors.ratings import evidence_of, notes_on, ratings_of
from analysis.selectors.results import last_rating
from analysis.services.requests import choices_key, computed_request
from analysis.services.results import Numbers, computed_fail, computed_make
from analysis.services.snapshots import snapshot_refresh
from crowds.selectors.counting import uses_everybody
from hits.models import Campaign

VERSION = "2"


@dataclass(frozen=True)
class Choices:
    """Similarity is that of words: quick, and it needs no model."""

    similarity: str = "rougel"
    draws: int = 100
    seed: int = 7


def description_request(*, campaign: Campaign) -> Description | None:
    """Of the captions and ratings of this moment; None without any caption."""
    evidence = description_evidence(campaign)
    if not evidence:
        return None
    found: Description | None = computed_request(
        Description.objects.all(),
        campaign=campaign,
        choices=Choices(),
        key=choices_key(Choices(), VERSION),
        evidence=lambda _: evidence,
        has_files=description_is_here,
        last=last_rating(campaign) or 0,
    )
    return found


def campaign_ratings(campaign: Campaign) -> RatingsFile:
    """Its ratings as a file of them would be read. Raises ValueError where there are none."""
    columns = snapshot_refresh(campaign=campaign).read()
    return RatingsFile(
        ratings_of(campaign, columns),
        f"campaign {campaign.slug}",
        evidence_of(campaign, columns),
        tuple(notes_on(campaign)),
        minimum_pairs=campaign.min_pairs,
        everybody=uses_everybody(campaign),
    )


def campaign_data(campaign: Campaign) -> Data:
    """Captions, references, ratings and cost of a campaign."""
    systems, references = caption_texts(campaign)
    try:
        ratings = campaign_ratings(campaign)
    except ValueError:  # nobody has rated yet
        ratings = None
    return Data(systems, references, ratings, cost=cost_rows(campaign, len(systems)))


def description_compute(row: Description) -> None:
    """Describe the campaign."""
    computed_make(row, _compute, evidence=description_evidence, folder=description_folder)


def description_fail(row: Description, problem: str) -> None:
    computed_fail(row, problem, description_evidence(row.campaign))


def _compute(row: Description, columns: Columns) -> Numbers:
    choices = Choices(**row.choices)
    scorer = Scorer([choices.similarity], MetricConfig(store=settings.METRIC_STORE).context())
    data = campaign_data(row.campaign)
    found, said = described(
        data, scorer, draws=choices.draws, settings=replace(ONCE, seed=choices.seed)
    )
    with ResultFolder(description_folder(row)) as folder:
        for name, rows in found.items():
            write_listing(folder / f"{name}.arrow", table(rows, TABLES[name]))
    told = {**row.choices, "last_rating": row.last_rating, "version": VERSION}
    told["data"] = description_evidence(row.campaign)
    return "|".join(f"{name}:{value}" for name, value in told.items()), {"said": said}
