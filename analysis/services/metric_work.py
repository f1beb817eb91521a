"""What is done in a chunk: texts or videos embedded into the store, or metrics scored from it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from django.core.files.storage import default_storage

from analysis.metrics.batch import VideoFile
from analysis.metrics.embedding import Frames, Texts, groups
from analysis.metrics.registry import Need, families_of
from analysis.metrics.scoring import Fault, Scores, embed, embeddable, score
from analysis.metrics.workbench import Workbench
from analysis.models import MetricChunk, MetricFault, MetricRun, MetricScore
from analysis.services.embedding_store import store_pull, store_push
from analysis.services.metric_bench import Job, bench_forget, bench_of, job_of

State = MetricChunk.State
Kind = MetricChunk.Kind
ROWS_AT_ONCE = 5_000


@dataclass
class Outcome:
    """What came of a chunk."""

    state: State = State.DONE
    faults: Sequence[Fault] = ()
    signatures: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()


def chunk_do(run: MetricRun, chunk: MetricChunk) -> Outcome:
    job = job_of(run)
    bench = bench_of(run, job.needs)
    spaces = _spaces(job, bench)
    store_pull(spaces)
    if chunk.kind == Kind.VIDEOS:
        outcome = _embed_videos(job, bench, chunk.items)
    elif chunk.kind == Kind.SCORES:
        outcome = _score(run, job, bench, chunk.items)
    else:
        outcome = _embed_texts(job, bench, chunk)
    store_push(spaces)
    if _is_spoilt(job, bench):
        bench_forget()
    return outcome


def _texts(job: Job, bench: Workbench) -> dict[str, Texts]:
    """The models' texts, by the kind of chunk that embeds them."""
    found = {}
    if bench.sentence:
        found[Kind.SENTENCES.value] = bench.sentence.texts(job.settings.bertscore_layer)
    if bench.image_text:
        found[Kind.TEXTS.value] = bench.image_text.texts
    return found


def _spaces(job: Job, bench: Workbench) -> list[str]:
    return sorted(part.space.folder.name for part in _kept(job, bench))


def _is_spoilt(job: Job, bench: Workbench) -> bool:
    """Whether something failed that this bench would not try again."""
    return any(part.fault or part.space.fault for part in _kept(job, bench))


def _kept(job: Job, bench: Workbench) -> list[Texts | Frames]:
    kept: list[Texts | Frames] = list(_texts(job, bench).values())
    if bench.image_text:
        kept += [bench.image_text.frames(chosen) for chosen in job.wanted.frames]
    return kept


def _embed_texts(job: Job, bench: Workbench, chunk: MetricChunk) -> Outcome:
    """Why it failed, if it does, is said for each metric when they are scored."""
    texts = _texts(job, bench).get(chunk.kind)
    if texts is None:
        return Outcome(State.FAILED)
    wanted = job.wanted.sentences if chunk.kind == Kind.SENTENCES else job.wanted.texts
    texts.embed(wanted[slice(*chunk.items)])
    return Outcome(State.FAILED if texts.fault or texts.space.fault else State.DONE)


def _embed_videos(job: Job, bench: Workbench, ids: Sequence[int]) -> Outcome:
    if bench.image_text is None:
        return Outcome(State.FAILED)
    ways = [bench.image_text.frames(chosen) for chosen in job.wanted.frames]
    unreadable: dict[str, str] = {}
    with videos_at_hand(job, ids) as files:
        for frames in ways:
            unreadable |= frames.embed(files)
    failed = any(frames.fault or frames.space.fault for frames in ways)
    faults = _about_videos(job, unreadable)
    return Outcome(State.FAILED if failed else State.DONE, faults=faults)


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
        return Outcome(State.FAILED, [Fault(message, metrics=named)])
    job = job_of(run)
    ids = set(chunk.items)
    reasons = {name: message for name, pk in job.material.video_ids.items() if pk in ids}
    return Outcome(State.FAILED, _about_videos(job, reasons))


def _score(run: MetricRun, job: Job, bench: Workbench, metrics: list[str]) -> Outcome:
    """From the store, for the whole campaign at once: rare words are counted in all of it."""
    batch = replace(job.material.batch)  # another one: the bench remembers what it matched before
    wanted = embeddable(batch, metrics, job.settings)
    embed(replace(wanted, videos={}), job.settings, bench)  # learns of what others have embedded
    if bench.image_text:
        for chosen in wanted.frames:
            bench.image_text.frames(chosen).missing(wanted.videos.values())  # and so does this
    known = _unreadable(run)
    scores = score(batch, metrics, job.settings, bench, known)
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
