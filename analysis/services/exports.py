"""Files too large to be made while somebody waits: asked for by pages, written by a worker, kept
for some days."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ObjectDoesNotExist
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from analysis.downloads import Download, write_download
from analysis.exports import Table
from analysis.models import Export
from analysis.selectors.exports import export_path
from analysis.services.downloads import DOWNLOADS
from analysis.services.waiting import waiting_for_space
from daplatform.disk import is_full
from daplatform.errors import DomainError
from hits.models import AuditEntry, Campaign

logger = logging.getLogger(__name__)
State = Export.State
DATABASE_AWAY = (InterfaceError, OperationalError)
UNEXPECTED = "Something went wrong on the server; whoever runs it finds it in the log."


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
    elif export.state != State.WAITING and not export_path(export).is_file():
        again = Export.objects.exclude(state=State.WAITING).filter(pk=export.pk)
        again.update(state=State.WAITING, problem="", written=0, claimed_at=None)
        export.refresh_from_db()
    return export


def choices_key(name: str, format: str, choices: dict[str, Any]) -> str:
    text = json.dumps([name, format, choices], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def exports_left_behind() -> QuerySet[Export]:
    """Exports that a worker should be busy with, and none is."""
    return Export.objects.left_behind()


def export_make(*, pk: int) -> None:
    """Write the file. Safe twice: whoever is last puts the same bytes into its place."""
    if Export.objects.claim(pk):
        with waiting_for_space(Export.objects.filter(pk=pk)):
            _make(Export.objects.select_related("campaign").get(pk=pk))


def _make(export: Export) -> None:
    end = _end(export)
    unfinished = Export.objects.filter(pk=export.pk, state=State.WAITING)
    unfinished.update(finished_at=timezone.now(), **end)


def _end(export: Export) -> dict[str, Any]:
    """What became of it. Whatever will not pass by itself is tried once, not by every sweep."""
    try:
        made = DOWNLOADS[export.name](export.campaign, **export.choices)
        size = _write(export, made)
    except (DomainError, ObjectDoesNotExist, ValueError) as error:
        return {"state": State.FAILED, "problem": str(error)[:500]}
    except Exception as error:
        if is_full(error) or isinstance(error, DATABASE_AWAY):
            raise
        logger.exception("export %s (%s) cannot be made", export.pk, export.filename)
        return {"state": State.FAILED, "problem": UNEXPECTED}
    return {"state": State.READY, "problem": "", "size": size}


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
    return size


def _telling(export: Export, pieces: Iterator[Table]) -> Iterator[Table]:
    """The pieces, with word after each of how far it is and that somebody is at it."""
    written = 0
    for piece in pieces:
        yield piece
        written += len(next(iter(piece.values()), ()))
        alive = {"written": written, "claimed_at": timezone.now()}
        Export.objects.filter(pk=export.pk, state=State.WAITING).update(**alive)


def exports_prune() -> None:
    """Delete what was asked for too long ago, with all that a dead worker left beside it."""
    oldest = timezone.now() - timedelta(days=settings.EXPORT_KEPT_DAYS)
    for export in Export.objects.filter(created_at__lt=oldest):
        shutil.rmtree(export_path(export).parent, ignore_errors=True)
        export.delete()
