"""What a run of metrics works on: the captions of its moment, their references and videos."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.core.files.storage import default_storage
from django.db.models import Q, QuerySet

from analysis.metrics.batch import Batch, VideoFile
from analysis.metrics.files import Captions
from analysis.models import MetricRun
from hits.models import Caption, System, Video

_AT_ONCE = 10_000


@dataclass(frozen=True)
class Material:
    """A batch, and the rows behind it.

    Parameters
    ----------
    batch : captions in the order they were imported, as in the campaign's own files
    captions : the same by name, for export
    caption_ids : the row of each caption
    video_ids : the row of each video by name
    stored : the name of each video's file in the media storage
    """

    batch: Batch
    captions: Captions
    caption_ids: list[int]
    video_ids: dict[str, int]
    stored: dict[str, str]


def run_material(run: MetricRun) -> Material:
    """Three queries, or four with a corpus; the same for every worker and on every day."""
    videos = {row.pk: row for row in Video.objects.filter(campaign=run.campaign_id)}
    systems = {row.pk: row for row in System.objects.filter(campaign=run.campaign_id)}
    references: dict[str, list[str]] = {}
    captions, ids = Captions([], [], []), []
    for pk, video_id, system_id, text in _rows(run):
        video, system = videos[video_id].name, systems[system_id]
        if system.role == System.Role.REFERENCE:
            references.setdefault(video, []).append(text)
            continue
        ids.append(pk)
        captions.videos.append(video)
        captions.systems.append(system.name)
        captions.texts.append(text)
    corpus = run.corpus.references if run.corpus else references
    kept = [video for video in videos.values() if video.file and video.sha256]
    files = {video.name: VideoFile(_path(video), video.sha256) for video in kept}
    return Material(
        Batch(captions.texts, captions.videos, references, corpus, files),
        captions,
        ids,
        {video.name: video.pk for video in videos.values()},
        {video.name: str(video.file.name) for video in kept},
    )


def captions_of(run: MetricRun) -> QuerySet[Caption]:
    """Those that counted when the run was asked for, corrected since or not."""
    then = Q(retired_at=None) | Q(retired_at__gt=run.created_at)
    return Caption.objects.filter(
        then, system__campaign=run.campaign_id, pk__lte=run.last_caption
    ).order_by("pk")


def _rows(run: MetricRun) -> Iterator[tuple[int, int, int, str]]:
    rows = captions_of(run).values_list("pk", "video_id", "system_id", "text")
    return rows.iterator(_AT_ONCE)


def _path(video: Video) -> Path:
    """Where the file lies; in a bucket it lies nowhere, and is fetched when it is needed."""
    name = str(video.file.name)
    try:
        return Path(default_storage.path(name))
    except NotImplementedError:
        return Path(name)
