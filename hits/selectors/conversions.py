"""Copies of videos for browsers: which of them is shown, and how far making them is."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models.fields.files import FieldFile

from daplatform.wording import counted
from hits.models import Campaign, Rendition, Video


def video_shown(video: Video, *, is_light: bool) -> tuple[str, FieldFile]:
    """The file that browsers are given of a video, and its kind: empty for its own file.

    A phone gets the lighter copy, any other browser the one it plays, as soon as there is one.
    """
    done = Rendition.objects.filter(source=video.file.name, status=Rendition.Status.DONE)
    found: dict[str, FieldFile] = {each.kind: each.file for each in done}
    wanted = (Rendition.Kind.LIGHT, Rendition.Kind.WEB) if is_light else (Rendition.Kind.WEB,)
    return next(((kind, found[kind]) for kind in wanted if kind in found), ("", video.file))


@dataclass(frozen=True)
class Conversions:
    """How far the copies of a campaign's videos are."""

    total: int
    done: int
    active: int
    failed: list[tuple[str, str]]  # videos by name, and why
    waiting: int  # of those without which some browser shows nothing
    unplayable: int  # those of them that failed

    @property
    def is_moving(self) -> bool:
        return self.active > 0

    @property
    def obstacle(self) -> str:
        """Why nobody can be asked to rate these videos yet; empty where everybody can."""
        if self.unplayable:
            return (
                f"{counted(self.unplayable, 'video', 'videos')} could not be converted, and not "
                "every browser plays the originals. The list of videos says why."
            )
        if self.waiting:
            return (
                f"{counted(self.waiting, 'video is', 'videos are')} still being converted. "
                "Compose HITs when that is done."
            )
        return ""


def campaign_conversions(campaign: Campaign) -> Conversions:
    rows = list(Rendition.objects.of(campaign))
    web = [row for row in rows if row.kind == Rendition.Kind.WEB]
    failed = {row.source: row.problem for row in rows if row.status == Rendition.Status.FAILED}
    videos = campaign.videos.filter(file__in=failed).values_list("name", "file")
    return Conversions(
        total=len(rows),
        done=sum(row.status == Rendition.Status.DONE for row in rows),
        active=sum(row.is_active for row in rows),
        failed=[(name, failed[file]) for name, file in videos],
        waiting=sum(row.is_active for row in web),
        unplayable=sum(row.status == Rendition.Status.FAILED for row in web),
    )
