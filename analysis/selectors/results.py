"""Results that can be shown, what tells that they are out of date, and where their files are."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings

from analysis.models import Result
from analysis.presenting.listings import ANNOTATORS, CAPTIONS, as_table, read_listing
from analysis.results.files import Maker, captions_table, result_files
from analysis.results.findings.ranking import missing_sentence, system_rows
from analysis.results.registry import Summary
from crowds.selectors.counting import ratings_confirmed, review_marks
from daplatform.shared_files import is_shared, shared_path
from hits.models import Campaign

if TYPE_CHECKING:
    import pyarrow as pa


def last_rating(campaign: Campaign) -> int | None:
    """The last rating by somebody whose crowd knows them: the analysis reads up to there."""
    return ratings_confirmed(campaign).order_by("-pk").values_list("pk", flat=True).first()


def further_runs(campaign: Campaign) -> tuple[str, ...]:
    """Runs that are not their team's primary one: a ranking may leave them out."""
    return tuple(campaign.systems.filter(is_primary=False).values_list("name", flat=True))


def reviews_fingerprint(campaign: Campaign) -> str:
    """Of what crowds and reviewers said that changes a number; empty where there is nothing."""
    decisions = review_marks(campaign)
    return hashlib.sha256(repr(decisions).encode()).hexdigest()[:16] if any(decisions) else ""


def result_latest(campaign: Campaign, choices_key: str) -> Result | None:
    """The newest finished result with these choices, however old.

    Its numbers are fetched when they are asked for: they hold every annotator.
    """
    same = Result.objects.shown().filter(campaign=campaign, choices_key=choices_key)
    rows = same.defer("summary").select_related("campaign")
    newest: Result | None = rows.order_by("-last_rating").first()
    return newest


def result_folder(result: Result) -> Path:
    """Where a result's files are. Not media: they are made anew when they are lost."""
    folder: Path = settings.DATA_DIR / "results" / str(result.campaign_id) / str(result.pk)
    return folder


def result_summary(result: Result) -> Summary:
    """Its numbers. Raises ValueError where they were stored before a statistic came or went."""
    return Summary.from_json(result.summary)


def result_systems(result: Result) -> list[dict[str, Any]]:
    """The ranking, best first."""
    return system_rows(result_summary(result).numbers["ranking"])


def missing_ranking(result: Result) -> str:
    """Why no system of it is ranked; empty where one is."""
    summary = result_summary(result)
    return missing_sentence(summary.numbers["ranking"], summary.context())


def result_makers(result: Result) -> dict[str, Maker]:
    """What makes each of its files."""
    return result_files(
        result_summary(result),
        lambda: captions_table(as_table(result_listing(result, CAPTIONS))),
        source=result.campaign.name,
    )


def result_listing(result: Result, name: str) -> pa.Table:
    """The rows of `analysis.presenting.listings` that go with a result which is ready."""
    return read_listing(shared_path(result_folder(result) / name))


def result_has_listings(result: Result) -> bool:
    """Whether there are the files that pages list from."""
    return is_shared(*(result_folder(result) / name for name in (ANNOTATORS, CAPTIONS)))
