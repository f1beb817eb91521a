"""Converting videos that not every browser plays, or that are too heavy for phones."""

from __future__ import annotations

import tempfile
from pathlib import Path

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction

from daplatform.errors import DomainError
from daplatform.jobs.services import job_done, job_progress
from hits.importing.conversion import COPIES, convert_video
from hits.importing.sandbox import UnreadableVideo
from hits.models import Campaign, Rendition


def rendition_make(rendition: Rendition) -> None:
    """Convert a claimed one. Under one name each time: what a killed worker left is replaced."""
    name = f"{Path(rendition.source).with_suffix('')}.{rendition.kind}.mp4"
    with tempfile.TemporaryDirectory(prefix="da-convert-") as folder:
        target = Path(folder) / "converted.mp4"
        _convert(rendition, Path(folder) / "original", target)
        with target.open("rb") as made:
            default_storage.delete(name)
            kept = default_storage.save(name, File(made))
    is_ours = job_done(job=rendition, file=kept)
    if not is_ours and not Rendition.objects.filter(pk=rendition.pk).exists():
        default_storage.delete(kept)  # the video was deleted meanwhile


def _convert(rendition: Rendition, source: Path, target: Path) -> None:
    tell = job_progress(rendition)
    try:
        with default_storage.open(rendition.source) as stored, source.open("wb") as local:
            for chunk in File(stored).chunks():
                local.write(chunk)
        convert_video(
            source,
            target,
            COPIES[rendition.kind],
            lambda done, total: tell("Converting", int(done), int(total) + 1),
        )
    except FileNotFoundError:
        raise DomainError("The file of this video is no longer stored.") from None
    except UnreadableVideo as error:
        raise DomainError(f"This video cannot be converted: {error}.") from None


@transaction.atomic
def renditions_retry(*, campaign: Campaign) -> list[Rendition]:
    """Have what could not be converted tried once more; those that wait now."""
    failed = Rendition.objects.of(campaign).filter(status=Rendition.Status.FAILED)
    keys = list(failed.values_list("pk", flat=True))
    if not keys:
        raise DomainError("There is nothing to retry.")
    Rendition.objects.filter(pk__in=keys).again()
    return list(Rendition.objects.filter(pk__in=keys))


def renditions_prune() -> None:
    """Delete copies of files that no video has any more: first the file, so that none is lost."""
    for rendition in Rendition.objects.orphans():
        if rendition.file:
            default_storage.delete(rendition.file.name)
        rendition.delete()
