"""Doing the work of a run, chunk by chunk, by as many workers as are woken."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from django.core.files.storage import default_storage
from django.db import transaction

from analysis.metrics.batch import VideoFile
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.embedding import Frames, Texts, groups
from analysis.metrics.registry import Need, embedding_models, families_of
from analysis.metrics.scoring import Fault, Scores, embed, embeddable, score
from analysis.models import MetricChunk, MetricFault, MetricRun, MetricScore
from analysis.services.embedding_store import learned_pull, store_pull, store_push
from analysis.services.metric_context import (
    CHUNKED,
    Job,
    context_forget,
    context_of,
    job_of,
    precision,
)
from analysis.services.metric_runs import WORKERS_WOKEN, chunks_of
from daplatform.jobs.services import job_done, job_failed, job_hand_over

Kind = MetricChunk.Kind
ROWS_AT_ONCE = 5_000


def metric_run_begin(run: MetricRun) -> list[MetricChunk]:
    """Cut a run into chunks, which are jobs of their own; workers are to be woken for the first."""
    job = job_of(run)
    kind = precision() if job.needs & embedding_models() else ""
    with transaction.atomic():
        if not job_hand_over(job=run, precision=kind):
            return []
        for number, chunk in enumerate(chunks := list(chunks_of(job))):
            chunk.run, chunk.number = run, number
        MetricChunk.objects.bulk_create(chunks, batch_size=1_000)
    return list(run.chunks.due()[:WORKERS_WOKEN])


def run_suits(pk: int) -> bool:
    """Whether this worker's device is of the kind that the run was begun with."""
    return MetricRun.objects.filter(pk=pk, precision__in=["", precision()]).exists()


def metric_chunk_work(chunk: MetricChunk) -> list[MetricChunk]:
    """Do one chunk, and have the next done by whoever comes: so runs share the workers."""
    began = time.monotonic()
    outcome = chunk_do(chunk.run, chunk)
    _record(chunk, outcome, seconds=time.monotonic() - began)
    due = chunk.run.chunks.due()
    opened = chunk.kind != MetricChunk.Kind.SCORES and due.filter(waits=True).exists()
    # Several where the last embeddings let several chunks of scores begin.
    return list(due[: WORKERS_WOKEN if opened else 1])


def metric_chunk_fail(chunk: MetricChunk, problem: str) -> None:
    """What was in it is not scored; the rest of its run is."""
    sentence = problem[:1].lower() + problem[1:].removesuffix(".")
    _record(chunk, chunk_failure(chunk.run, chunk, sentence), seconds=None)


@transaction.atomic
def _record(chunk: MetricChunk, outcome: Outcome, seconds: float | None) -> None:
    """The end of a chunk and, after the last of them, of its run; the lock says which is last."""
    run = MetricRun.objects.select_for_update().filter(pk=chunk.run_id).first()
    if run is None or not _end(chunk, outcome, seconds):
        return
    ids = job_of(run).material.video_ids
    MetricFault.objects.bulk_create(
        MetricFault(
            chunk=chunk,
            video_id=ids[fault.video] if fault.video else None,
            metrics=list(fault.metrics),
            message=fault.message,
        )
        for fault in outcome.faults
    )
    if not run.chunks.active().exists() and job_done(job=run):
        _forget_replaced(run)


def _end(chunk: MetricChunk, outcome: Outcome, seconds: float | None) -> bool:
    fields = {
        "seconds": seconds,
        "signatures": dict(outcome.signatures),
        "notes": list(outcome.notes),
    }
    if outcome.is_done:
        return job_done(job=chunk, **fields)
    return job_failed(job=chunk, problem="", **fields)


def _forget_replaced(run: MetricRun) -> None:
    """Earlier runs that say nothing this one does not say."""
    earlier = MetricRun.objects.filter(
        campaign=run.campaign_id,
        pk__lt=run.pk,
        choices=run.choices,
        corpus=run.corpus_id,
        label=run.label,
    )
    for old in earlier.exclude(status__in=MetricRun.ACTIVE):
        if set(old.metrics) <= set(run.metrics):
            old.delete()


@dataclass
class Outcome:
    """What came of a chunk."""

    is_done: bool = True
    faults: Sequence[Fault] = ()
    signatures: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()


def chunk_do(run: MetricRun, chunk: MetricChunk) -> Outcome:
    learned_pull(run.metrics)
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
