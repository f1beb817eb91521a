"""What is done in a chunk: texts or videos embedded into the store, or metrics scored from it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from django.core.files.storage import default_storage

from analysis.metrics.batch import VideoFile
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.embedding import Frames, Texts, groups
from analysis.metrics.registry import Need, families_of
from analysis.metrics.scoring import Fault, Scores, embed, embeddable, score
from analysis.models import MetricChunk, MetricFault, MetricRun, MetricScore
from analysis.services.embedding_store import store_pull, store_push
from analysis.services.metric_context import CHUNKED, Job, context_forget, context_of, job_of

Kind = MetricChunk.Kind
ROWS_AT_ONCE = 5_000


@dataclass
class Outcome:
    """What came of a chunk."""

    is_done: bool = True
    faults: Sequence[Fault] = ()
    signatures: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()


def chunk_do(run: MetricRun, chunk: MetricChunk) -> Outcome:
    job = job_of(run)
    context = context_of(run, job.needs)
    spaces = _spaces(job, context)
    store_pull(spaces)
    if chunk.kind == Kind.VIDEOS:
        outcome = _embed_videos(job, context, chunk.items)
    elif chunk.kind == Kind.SCORES:
        outcome = _score(run, job, context, chunk.items)
    else:
        outcome = _embed_texts(job, context, chunk)
    store_push(spaces)
    if _is_spoilt(job, context):
        context_forget()
    return outcome


def _texts(job: Job, context: ScoringContext) -> dict[str, Texts]:
    """The texts of the models, by the name of the model."""
    models = context.embedders(job.wanted.texts)
    return {name: model.texts_for(job.settings) for name, model in models.items()}


def _ways(job: Job, context: ScoringContext) -> list[Frames]:
    """Frames of each model that sees, in every way that they are chosen."""
    models = context.embedders(job.wanted.frames)
    return [
        model.frames(chosen) for name, model in models.items() for chosen in job.wanted.frames[name]
    ]


def _spaces(job: Job, context: ScoringContext) -> list[str]:
    return sorted(part.space.folder.name for part in _kept(job, context))


def _is_spoilt(job: Job, context: ScoringContext) -> bool:
    """Whether something failed that this context would not try again."""
    return any(part.fault or part.space.fault for part in _kept(job, context))


def _kept(job: Job, context: ScoringContext) -> list[Texts | Frames]:
    return [*_texts(job, context).values(), *_ways(job, context)]


def _embed_texts(job: Job, context: ScoringContext, chunk: MetricChunk) -> Outcome:
    """Why it failed, if it does, is said for each metric when they are scored."""
    name = CHUNKED[Kind(chunk.kind)]
    texts = _texts(job, context).get(name)
    if texts is None:
        return Outcome(False)
    texts.embed(job.wanted.texts[name][slice(*chunk.items)])
    return Outcome(not (texts.fault or texts.space.fault))


def _embed_videos(job: Job, context: ScoringContext, ids: Sequence[int]) -> Outcome:
    ways = _ways(job, context)
    if not ways:
        return Outcome(False)
    unreadable: dict[str, str] = {}
    with videos_at_hand(job, ids) as files:
        for frames in ways:
            unreadable |= frames.embed(files)
    failed = any(frames.fault or frames.space.fault for frames in ways)
    faults = _about_videos(job, unreadable)
    return Outcome(not failed, faults)


@contextmanager
def videos_at_hand(job: Job, ids: Sequence[int]) -> Iterator[dict[str, VideoFile]]:
    """The files of these videos; what lies in a bucket is here for as long as it is needed."""
    names = {pk: name for name, pk in job.material.video_ids.items()}
    with tempfile.TemporaryDirectory(prefix="da-videos-") as folder:
        yield {
            name: _fetched(job.material.batch.files[name], job.material.stored[name], Path(folder))
            for name in (names[pk] for pk in ids)
        }


def _fetched(video: VideoFile, stored: str, folder: Path) -> VideoFile:
    try:
        default_storage.path(stored)
    except NotImplementedError:
        target = folder / Path(stored).name
        if default_storage.exists(stored):
            with default_storage.open(stored) as source, target.open("wb") as file:
                file.writelines(source.chunks())
        return replace(video, path=target)
    return video


def _about_videos(job: Job, reasons: Mapping[str, str]) -> list[Fault]:
    """A fault for each video that is not readable, its copies under other names included."""
    files = job.material.batch.files
    by_content = {files[name].sha256: reason for name, reason in reasons.items()}
    blind = tuple(
        name
        for family, names in families_of(job.metrics).items()
        if Need.VIDEO in family.needs
        for name in names
    )
    return [
        Fault(by_content[file.sha256], name, blind)
        for name, file in job.wanted.videos.items()
        if file.sha256 in by_content
    ]


def chunk_failure(run: MetricRun, chunk: MetricChunk, message: str) -> Outcome:
    if chunk.kind != Kind.VIDEOS:
        named = tuple(chunk.items) if chunk.kind == Kind.SCORES else ()
        return Outcome(False, [Fault(message, metrics=named)])
    job = job_of(run)
    ids = set(chunk.items)
    reasons = {name: message for name, pk in job.material.video_ids.items() if pk in ids}
    return Outcome(False, _about_videos(job, reasons))


def _score(run: MetricRun, job: Job, context: ScoringContext, metrics: list[str]) -> Outcome:
    """From the store, for the whole campaign at once: rare words are counted in all of it."""
    batch = replace(job.material.batch)  # another one: what was matched before is remembered
    wanted = embeddable(batch, metrics, job.settings)
    embed(replace(wanted, videos={}), job.settings, context)  # learns of what others have embedded
    for frames in _ways(replace(job, wanted=wanted), context):
        frames.missing(wanted.videos.values())  # and so does this
    known = _unreadable(run)
    scores = score(batch, metrics, job.settings, context, known)
    faults = [fault for fault in scores.faults if known.get(fault.video) != fault.message]
    _scores_write(run, job.material.caption_ids, scores)
    return Outcome(faults=faults, signatures=scores.signatures, notes=scores.notes)


def _unreadable(run: MetricRun) -> dict[str, str]:
    found = MetricFault.objects.filter(chunk__run=run, chunk__kind=Kind.VIDEOS)
    return dict(found.exclude(video=None).values_list("video__name", "message"))


def _scores_write(run: MetricRun, captions: Sequence[int], scores: Scores) -> None:
    rows = (
        MetricScore(run=run, caption_id=caption, metric=metric, value=value)
        for metric, values in scores.values.items()
        for caption, value in zip(captions, values.tolist(), strict=True)
        if value == value  # not NaN
    )
    for group in groups(rows, ROWS_AT_ONCE):
        MetricScore.objects.bulk_create(
            group,
            update_conflicts=True,
            unique_fields=["run", "metric", "caption"],
            update_fields=["value"],
        )
