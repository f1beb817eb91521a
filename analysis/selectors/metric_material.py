"""What a run of metrics works on: the captions of its moment, their references and videos."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.core.files.storage import default_storage
from django.db.models import Q, QuerySet

from analysis.metrics.batch import Batch, Span, VideoFile
from analysis.metrics.files import Captions, Timed
from analysis.metrics.parts import belonging
from analysis.models import MetricRun
from hits.models import Caption, Clip, System, Video

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
    clips : the seconds of each video that is part of a longer one
    told : references by the longer video, each with its seconds
    stored : the name of each video's file in the media storage
    """

    batch: Batch
    captions: Captions
    caption_ids: list[int]
    video_ids: dict[str, int]
    stored: dict[str, str]
    clips: dict[str, Clip]
    told: dict[str, dict[str, Timed]]

    @property
    def parts(self) -> Captions:
        """The captions as files have them: of the longer video, each part with its seconds."""
        found = self.captions
        whole = [whole_of(name, self.clips) for name in found.videos]
        part = [
            self.clips[name].part or name if name in self.clips else "" for name in found.videos
        ]
        return Captions(whole, found.systems, found.texts, found.spans, part)


def run_material(run: MetricRun) -> Material:
    """Three queries, or four with a corpus; the same for every worker and on every day."""
    rows = Video.objects.filter(campaign=run.campaign_id).select_related("clip")
    videos = {row.pk: row for row in rows}
    clips = {row.name: row.clip for row in videos.values() if hasattr(row, "clip")}
    systems = {row.pk: row for row in System.objects.filter(campaign=run.campaign_id)}
    told: dict[str, dict[str, Timed]] = {}  # references by the whole video, with their seconds
    captions, ids = Captions([], [], []), []
    for pk, video_id, system_id, text in _rows(run):
        video, system = videos[video_id].name, systems[system_id]
        if system.role == System.Role.REFERENCE:
            named = told.setdefault(whole_of(video, clips), {})
            named[str(pk)] = (text, span_of(video, clips))
            continue
        ids.append(pk)
        captions.videos.append(video)
        captions.systems.append(system.name)
        captions.texts.append(text)
        captions.spans.append(span_of(video, clips))
    shown: dict[str, list[str]] = {}  # a video, or all its clips, by the name of the whole
    for row in videos.values():
        shown.setdefault(whole_of(row.name, clips), []).append(row.name)
    references = {
        name: belonging(named, span_of(name, clips))
        for whole, named in told.items()
        for name in shown[whole]
    }
    documents = {whole: [text for text, _ in named.values()] for whole, named in told.items()}
    corpus = run.corpus.references if run.corpus else documents
    kept = [video for video in videos.values() if video.file and video.sha256]
    files = {
        video.name: VideoFile(_path(video), video.sha256, span_of(video.name, clips))
        for video in kept
    }
    return Material(
        Batch(captions.texts, captions.videos, references, corpus, files),
        captions,
        ids,
        {video.name: video.pk for video in videos.values()},
        {video.name: str(video.file.name) for video in kept},
        clips,
        told,
    )


def whole_of(video: str, clips: Mapping[str, Clip]) -> str:
    """The video that a clip is cut from; any other video itself."""
    return clips[video].whole if video in clips else video


def span_of(video: str, clips: Mapping[str, Clip]) -> Span | None:
    """The seconds that are shown, if they are not all."""
    return Span(clips[video].start, clips[video].end) if video in clips else None


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
