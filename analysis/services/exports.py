"""Files too large to be made while somebody waits: requested by pages, written by a worker, kept
for some days."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.utils import timezone

from analysis.models import Export
from analysis.presenting.downloads import Download, write_download
from analysis.presenting.exports import Table
from analysis.selectors.exports import export_path
from analysis.services.downloads import DOWNLOADS
from crowds.models import AuditEntry
from daplatform.errors import DomainError
from daplatform.jobs.services import job_alive, job_done
from daplatform.shared_files import files_share, folder_forget, is_shared
from hits.models import Campaign


@transaction.atomic
def export_request(
    *,
    campaign: Campaign,
    by: User,
    name: str,
    format: str,
    address: str,
    choices: dict[str, Any],
    rows: int,
) -> Export:
    """This person's row for these choices, made if it is new; a failed or lost one is tried again.

    Whoever gets a waiting row wakes a worker for it; twice does no harm.
    """
    export, is_new = Export.objects.get_or_create(
        campaign=campaign,
        requested_by=by,
        choices_key=choices_key(name, format, choices),
        defaults={
            "name": name,
            "format": format,
            "address": address,
            "choices": choices,
            "rows": rows,
        },
    )
    if is_new:
        detail = f"{name}.{format}, {rows:,} rows"
        AuditEntry.objects.create(campaign=campaign, person=by, action="exported", detail=detail)
    elif not export.is_active and not is_shared(export_path(export)):
        Export.objects.filter(pk=export.pk).again()
        export.refresh_from_db()
    return export


def choices_key(name: str, format: str, choices: dict[str, Any]) -> str:
    text = json.dumps([name, format, choices], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def export_make(export: Export) -> None:
    """Write the file. Safe twice: whoever is last puts the same bytes into its place."""
    try:
        made = DOWNLOADS[export.name](export.campaign, **export.choices)
        size = _write(export, made)
    except (ObjectDoesNotExist, ValueError) as error:
        raise DomainError(str(error)) from error
    job_done(job=export, size=size)


def _write(export: Export, made: Download) -> int:
    """All of the file or nothing: it is written beside its place, and moved there at the end."""
    path = export_path(export)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{uuid.uuid4().hex}.part")
    told = replace(made, pieces=lambda: _telling(export, made.pieces()))
    try:
        with part.open("wb") as stream:
            write_download(stream, told, export.format)
        size = part.stat().st_size
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)  # a full disk is not filled with halves
    files_share([path], claim=partial(job_alive, job=export))
    return size


def _telling(export: Export, pieces: Iterator[Table]) -> Iterator[Table]:
    """The pieces, with word after each of how far it is."""
    written = 0
    for piece in pieces:
        yield piece
        written += len(next(iter(piece.values()), ()))
        job_alive(job=export, progress={"rows": written})


def exports_prune() -> None:
    """Delete what was asked for too long ago, with all that a dead worker left beside it."""
    oldest = timezone.now() - timedelta(days=settings.EXPORT_KEPT_DAYS)
    for export in Export.objects.filter(created_at__lt=oldest):
        folder_forget(export_path(export).parent)
        export.delete()
