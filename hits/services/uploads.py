"""Campaign archives sent in through the browser: kept, checked, and imported when confirmed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.base import File
from django.db import transaction

from daplatform.disk import NO_SPACE, is_full
from daplatform.errors import DomainError
from daplatform.jobs.models import Job
from daplatform.jobs.services import job_done, job_failed, job_progress
from daplatform.shared_files import AWAY, is_away
from hits.composition.shape import hit_shape
from hits.importing.reading import Reading, read_campaign
from hits.importing.roles import Role
from hits.misfits import plan_misfit
from hits.models import Rendition, Upload, Video
from hits.planning import hourly_pay
from hits.services.importing import campaign_import, minutes_of, reward_of

Stage, Status = Upload.Stage, Upload.Status


def upload_create(*, owner: User, archive: File[bytes]) -> Upload:
    """Keep an archive until it has been checked and imported."""
    if archive.size > settings.UPLOAD_MAX_BYTES:
        most = settings.UPLOAD_MAX_BYTES // 1_000_000
        raise DomainError(f"This file is larger than {most:,} MB, the most that can be uploaded.")
    filename = Path(archive.name or "campaign.zip").name[-200:]
    try:
        with transaction.atomic():
            return Upload.objects.create(owner=owner, archive=archive, filename=filename)
    except Exception as error:
        if not is_full(error) and not is_away(error):
            raise
        reason = NO_SPACE if is_full(error) else AWAY
        raise DomainError(f"This file could not be stored: {reason}.") from None


def upload_confirm(*, upload: Upload) -> Upload:
    """The organiser has seen what is in it and wants it."""
    checked = Upload.objects.filter(pk=upload.pk, stage=Stage.CHECK, status=Status.DONE)
    if not checked.again(stage=Stage.IMPORT):
        raise DomainError("This upload is not waiting to be confirmed.")
    upload.refresh_from_db()
    return upload


def upload_discard(*, upload: Upload) -> None:
    """Forget an upload that nobody works on; a campaign made of it stays."""
    if not Upload.objects.filter(pk=upload.pk).exclude(status__in=Upload.ACTIVE).delete()[0]:
        raise DomainError("This upload is being processed. Wait until that is done.")
    upload.archive.delete(save=False)


def upload_work(upload: Upload) -> Iterable[Job]:
    """Find every fault in an archive, or write the campaign of a confirmed one.

    Workers are to be woken for the videos that have to be converted then.
    """
    try:
        _with_reading(upload, _import if upload.stage == Stage.IMPORT else _check)
    except FileNotFoundError as error:
        raise DomainError("The archive is no longer stored.") from error
    except OSError as error:
        if not is_full(error):
            raise
        sentence = f"There was no room to unpack it: {NO_SPACE}. Upload it again later."
        raise DomainError(sentence) from error
    files = Video.objects.filter(campaign__upload=upload.pk).values("file")
    return Rendition.objects.filter(source__in=files).due()


def _with_reading(upload: Upload, record: Callable[[Upload, Reading], None]) -> None:
    """Unpack and read the archive into a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="da-upload-") as folder:
        archive = Path(folder) / "campaign.zip"
        with upload.archive.open("rb") as source, archive.open("wb") as target:
            for chunk in File(source).chunks():
                target.write(chunk)
        workspace = Path(folder) / "unpacked"
        workspace.mkdir()
        tell = job_progress(upload)
        reading = read_campaign(
            archive,
            workspace=workspace,
            name=Path(upload.filename).stem,
            progress=lambda what, done, total: tell(f"Reading {what}", done, total),
        )
        record(upload, reading)


def _check(upload: Upload, reading: Reading) -> None:
    found = report(reading)
    if reading.is_sound:
        job_done(job=upload, report=found)
    else:
        upload_refuse(upload, "The archive has errors.", report=found)


def _import(upload: Upload, reading: Reading) -> None:
    tell = job_progress(upload)
    campaign = campaign_import(reading=reading, owner=upload.owner, progress=tell)
    if job_done(job=upload, campaign=campaign):
        upload.archive.delete(save=False)


def upload_refuse(upload: Upload, problem: str, **fields: Any) -> None:
    """An archive that has become rows, or never will, is not kept any longer."""
    if job_failed(job=upload, problem=problem, **fields):
        upload.archive.delete(save=False)


def report(reading: Reading) -> dict[str, Any]:
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
            "Reward": _reward(reading),
            "Minutes allowed": hits.minutes_allowed,
            "HITs per person, at most": hits.max_hits_per_annotator or "no limit",
            "Protocol": reading.settings.asked.title,
            "Pairs for quality control": hits.min_pairs or "what the test needs",
            "Watching required": "yes" if reading.settings.must_watch else "no",
            "Number shown on the scale": "yes" if reading.settings.shows_number else "no",
            "Faster playback": "offered" if reading.settings.offers_speed else "not offered",
            "Language": reading.settings.language or "the browser's",
            "Translated texts": ", ".join(reading.settings.translations) or "none",
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


def _reward(reading: Reading) -> str:
    reward, minutes = reward_of(reading), minutes_of(reading)
    hourly = hourly_pay(reward, Decimal(minutes))
    return f"{reward} USD, about {hourly} USD an hour at the expected {minutes} minutes a HIT"


def _misfit(reading: Reading) -> str:
    """Why no HIT can be made of sound files as they are set; empty where one can."""
    if not reading.is_sound:
        return ""
    hits, systems = reading.settings.hits, reading.systems
    misfit = plan_misfit(
        hit_shape(
            whole_video=reading.settings.asked.whole_video,
            size=hits.size,
            pairs=hits.pairs,
            repeats=hits.repeats,
        ),
        [each.captions for each in systems if each.role != Role.REFERENCE],
        sum(each.captions for each in systems if each.is_control),
        min_pairs=hits.min_pairs,
        most_hits=hits.max_hits_per_annotator,
    )
    return str(misfit or "")
