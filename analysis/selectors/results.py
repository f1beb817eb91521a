"""Results that can be shown, and where their files are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from analysis.listings import ANNOTATORS, CAPTIONS, read_listing
from analysis.models import Result
from hits.models import Campaign

if TYPE_CHECKING:
    import pyarrow as pa


def result_latest(campaign: Campaign, choices_key: str) -> Result | None:
    """The newest finished result with these choices, however old.

    What the page of the ranking shows is fetched when it is asked for: it holds every chart.
    """
    same = Result.objects.shown().filter(campaign=campaign, choices_key=choices_key)
    rows = same.defer("page").select_related("campaign")
    newest: Result | None = rows.order_by("-last_rating").first()
    return newest


def result_folder(result: Result) -> Path:
    """Where a result's files are. Not media: they are made anew when they are lost."""
    folder: Path = settings.DATA_DIR / "results" / str(result.campaign_id) / str(result.pk)
    return folder


def result_listing(result: Result, name: str) -> pa.Table:
    """The rows of `analysis.listings` that go with a result which is ready."""
    return read_listing(result_folder(result) / name)


def result_has_listings(result: Result) -> bool:
    """Whether the files that pages list from are on this machine."""
    return all((result_folder(result) / name).is_file() for name in (ANNOTATORS, CAPTIONS))
