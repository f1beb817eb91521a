"""Campaign archives sent in through the browser: kept, checked, and imported when confirmed.

The row is the truth and the queue only a wake-up: work is claimed by a conditional update, and
what a dead worker left behind can be claimed again once nothing was heard of it for a while.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.base import File
from django.db import OperationalError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from daplatform.disk import NO_SPACE, is_full
from daplatform.errors import DomainError
from hits import importing
from hits.composition.shape import Shape
from hits.models import Upload
from hits.planning import find_misfit
from hits.services.importing import Progress, campaign_import

STALE_AFTER = timedelta(minutes=5)
SIGN_OF_LIFE_SECONDS = 1.0
State = Upload.State
IN_WORK = (State.CHECKING, State.IMPORTING)


def upload_create(*, owner: User, archive: File[bytes]) -> Upload:
    """Keep an archive until it has been checked and imported."""
    if archive.size > settings.UPLOAD_MAX_BYTES:
        most = settings.UPLOAD_MAX_BYTES // 1_000_000
        raise DomainError(f"This file is larger than {most:,} MB, the most that can be uploaded.")
    filename = Path(archive.name or "campaign.zip").name[-200:]
    try:
        with transaction.atomic():
            return Upload.objects.create(owner=owner, archive=archive, filename=filename)
    except OSError as error:
        if not is_full(error):
            raise
        raise DomainError(f"This file could not be kept: {NO_SPACE}.") from None


def upload_confirm(*, upload: Upload) -> Upload:
    """The organiser has seen what is in it and wants it."""
    confirmed = Upload.objects.filter(pk=upload.pk, state=State.CHECKED).update(
        state=State.IMPORTING, claimed_at=None, step="", done=0, total=0
    )
    if not confirmed:
        raise DomainError("This upload is not waiting to be confirmed.")
    upload.refresh_from_db()
    return upload


def upload_discard(*, upload: Upload) -> None:
    """Forget an upload that nobody works on; a campaign made of it stays."""
    if not Upload.objects.filter(pk=upload.pk).exclude(state__in=IN_WORK).delete()[0]:
        raise DomainError("This upload is being worked on. Wait until that is done.")
    upload.archive.delete(save=False)


def uploads_left_behind() -> QuerySet[Upload]:
    """Uploads that a worker should be busy with, and none is."""
    return _claimable(timezone.now()).filter(state__in=IN_WORK)


def upload_check(*, pk: int) -> None:
    """Find every fault in an archive and keep the report. Safe to run twice."""
    _work(pk, State.CHECKING, _record_check)


def upload_import(*, pk: int) -> None:
    """Write the campaign of a confirmed upload. Safe to run twice."""
    _work(pk, State.IMPORTING, _record_import)


def _claimable(now: datetime) -> QuerySet[Upload]:
    return Upload.objects.filter(Q(claimed_at=None) | Q(claimed_at__lt=now - STALE_AFTER))


def _claim(pk: int, state: str) -> Upload | None:
    now = timezone.now()
    if not _claimable(now).filter(pk=pk, state=state).update(claimed_at=now):
        return None
    return Upload.objects.select_related("owner").get(pk=pk)


def _work(pk: int, state: str, record: Callable[[Upload, importing.Reading], None]) -> None:
    """Claim an upload and record what comes of it; whatever goes wrong, nobody waits for ever."""
    upload = _claim(pk, state)
    if upload is None:
        return
    try:
        _with_reading(upload, record)
    except DomainError as error:
        _record_refusal(upload, str(error))
    except FileNotFoundError:
        _record_refusal(upload, "The archive is no longer stored.")
    except OperationalError:
        raise  # the database is busy or away: the upload is taken up again later
    except Exception as error:
        sentence = "Something went wrong here, and was written to the log."
        if is_full(error):
            sentence = f"There was no room to unpack it: {NO_SPACE}. Send it again later."
        _record_refusal(upload, sentence)
        raise


def _with_reading(upload: Upload, record: Callable[[Upload, importing.Reading], None]) -> None:
    """Unpack and read the archive into a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="da-upload-") as folder:
        archive = Path(folder) / "campaign.zip"
        with upload.archive.open("rb") as source, archive.open("wb") as target:
            for chunk in File(source).chunks():
                target.write(chunk)
        workspace = Path(folder) / "unpacked"
        workspace.mkdir()
        tell = _sign_of_life(upload)
        reading = importing.read_campaign(
            archive,
            workspace=workspace,
            name=Path(upload.filename).stem,
            progress=lambda what, done, total: tell(f"Reading {what}", done, total),
        )
        record(upload, reading)


def _sign_of_life(upload: Upload) -> Progress:
    """Tell the row how far the work is, at most once a second."""
    told = float("-inf")

    def tell(step: str, done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told < SIGN_OF_LIFE_SECONDS:
            return
        told = time.monotonic()
        Upload.objects.filter(pk=upload.pk).update(
            step=step[:100], done=done, total=total, claimed_at=timezone.now()
        )

    return tell


def _record_check(upload: Upload, reading: importing.Reading) -> None:
    state = State.CHECKED if reading.is_sound else State.FAILED
    _record(upload, state, report=report(reading))


def _record_import(upload: Upload, reading: importing.Reading) -> None:
    campaign = campaign_import(reading=reading, owner=upload.owner, progress=_sign_of_life(upload))
    _record(upload, State.DONE, campaign=campaign)


def _record_refusal(upload: Upload, sentence: str) -> None:
    _record(upload, State.FAILED, report={**upload.report, "refusal": sentence})


def _record(upload: Upload, state: str, **fields: Any) -> None:
    """The end of a step, unless another worker has ended it already.

    An archive that has become rows, or never will, is not kept any longer.
    """
    step = Upload.objects.filter(pk=upload.pk, state=upload.state)
    if step.update(state=state, **fields) and state != State.CHECKED:
        upload.archive.delete(save=False)


def report(reading: importing.Reading) -> dict[str, Any]:
    """What was found, in JSON's own types, for the page that asks for confirmation."""
    hits = reading.settings.hits
    return {
        "name": reading.settings.name,
        "settings": {
            "Captions per HIT": hits.size,
            "Control pairs per HIT": hits.pairs,
            "Repeats per HIT": hits.repeats,
            "HITs per caption": hits.redundancy,
            "People per HIT": hits.assignments,
            "Reward": f"{hits.reward} USD",
            "Minutes allowed": hits.minutes_allowed,
            "Most HITs a person": hits.max_hits_per_annotator or "no limit",
            "Pairs for quality control": hits.min_pairs,
            "Watching required": "yes" if reading.settings.must_watch else "no",
            "Number shown on the scale": "yes" if reading.settings.shows_number else "no",
            "Seed": hits.seed,
        },
        "misfit": _misfit(reading),
        "videos": len(reading.videos),
        "captions": len(reading.video),
        "systems": [
            {
                "name": system.name,
                "role": str(system.role),
                "is_control": system.is_control,
                "captions": system.captions,
                "samples": list(system.samples),
            }
            for system in reading.systems
        ],
        "faults": [fault.as_dict() for fault in reading.faults],
        "error_count": reading.faults.errors,
        "warning_count": reading.faults.warnings,
    }


def _misfit(reading: importing.Reading) -> str:
    """Why no HIT can be made of sound files as they are set; empty where one can."""
    if not reading.is_sound:
        return ""
    hits, systems = reading.settings.hits, reading.systems
    misfit = find_misfit(
        Shape(size=hits.size, pairs=hits.pairs, repeats=hits.repeats),
        captions=sum(each.captions for each in systems if each.role != importing.Role.REFERENCE),
        controls=sum(each.captions for each in systems if each.is_control),
    )
    return str(misfit or "")
