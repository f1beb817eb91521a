"""What is said of a campaign's data, and what it is said of."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db.models import Count, Max

from analysis.evaluation.description import TABLES, Tables
from analysis.models import Description
from analysis.presenting.downloads import table_file, table_formats
from analysis.presenting.exports import Table, records
from analysis.presenting.listings import as_table, read_listing
from analysis.results.files import Maker
from analysis.selectors.results import reviews_fingerprint
from crowds.selectors.counting import uses_everybody
from crowds.selectors.money import campaign_currency, campaign_sums
from daplatform.shared_files import is_shared, shared_path
from hits.models import Campaign, Caption, System
from hits.selectors import campaign_plan, campaign_systems

Texts = dict[str, dict[str, str]]


def caption_texts(campaign: Campaign) -> tuple[Texts, Texts]:
    """The captions of systems, and those of references, by source and video."""
    rows = Caption.objects.filter(system__campaign=campaign, retired_at=None).values_list(
        "system__role", "system__name", "video__name", "text"
    )
    systems: Texts = {}
    references: Texts = {}
    for role, name, video, text in rows.order_by("pk").iterator():
        kept = references if role == System.Role.REFERENCE else systems
        kept.setdefault(name, {})[video] = text
    return systems, references


def cost_rows(campaign: Campaign, systems: int) -> list[dict[str, object]]:
    """Planned and spent, in all and for each system."""
    plan = campaign_plan(campaign, campaign_systems(campaign))
    totals = {"planned": plan.cost.total if plan else 0, "spent": campaign_sums(campaign).spent}
    return [
        {
            "what": what,
            "total": float(total),
            "systems": systems,
            "per_system": float(total) / max(systems, 1),
            "currency": campaign_currency(campaign),
        }
        for what, total in totals.items()
    ]


def description_evidence(campaign: Campaign) -> str:
    """Fingerprint of all but the ratings that is described. Empty without a caption."""
    captions = Caption.objects.filter(system__campaign=campaign, retired_at=None)
    found = captions.aggregate(last=Max("pk"), count=Count("pk"))
    if not found["count"]:
        return ""
    rules = (campaign.min_pairs, uses_everybody(campaign))
    said = (
        *found.values(), *rules, reviews_fingerprint(campaign), str(campaign_sums(campaign).spent)
    )  # fmt: skip
    return hashlib.sha256(repr(said).encode()).hexdigest()[:16]


def description_latest(campaign: Campaign) -> Description | None:
    """The one that was finished last, however old."""
    shown = Description.objects.shown().filter(campaign=campaign)
    last: Description | None = shown.order_by("-finished_at").first()
    return last


def description_folder(row: Description) -> Path:
    """Where its tables are. Not media: they are made anew when they are lost."""
    folder: Path = settings.DATA_DIR / "descriptions" / str(row.campaign_id) / str(row.pk)
    return folder


def description_is_here(row: Description) -> bool:
    return is_shared(*(description_folder(row) / f"{name}.arrow" for name in TABLES))


def description_tables(row: Description) -> Tables:
    """Rows of every table. Raises FileNotFoundError where they are not on this machine."""
    return {name: records(description_table(row, name)) for name in TABLES}


def description_table(row: Description, name: str) -> Table:
    return as_table(read_listing(shared_path(description_folder(row) / f"{name}.arrow")))


def description_makers(row: Description) -> dict[str, Maker]:
    """What makes each of its files."""
    return {
        f"{name}.{format}": partial(_file, row, name, format)
        for name in TABLES
        for format in table_formats()
    }


def _file(row: Description, name: str, format: str) -> bytes:
    return table_file(description_table(row, name), format, row.signature)
