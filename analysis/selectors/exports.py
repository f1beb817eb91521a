"""Files that were asked for and are made, or being made, by a worker."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from analysis.models import Export
from daplatform.shared_files import is_shared
from hits.models import Campaign


def exports_of(campaign: Campaign, person: User) -> QuerySet[Export]:
    """What this person asked for; nobody sees another's, whose choices may be about other
    campaigns, too."""
    return Export.objects.filter(campaign=campaign, requested_by=person).select_related("campaign")


def export_path(export: Export) -> Path:
    """Where the file is when it is ready, on a machine that has it."""
    folder: Path = settings.DATA_DIR / "exports" / str(export.campaign_id) / str(export.pk)
    return folder / f"{export.name}.{export.format}"


def export_is_lost(export: Export) -> bool:
    """Whether it was ready once, and is not here any more."""
    return export.status == Export.Status.DONE and not is_shared(export_path(export))


def export_kept_until(export: Export) -> datetime:
    return export.created_at + timedelta(days=settings.EXPORT_KEPT_DAYS)
