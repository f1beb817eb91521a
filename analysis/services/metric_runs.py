"""Runs of metrics: asked for, cut into chunks, cancelled, tried again where they failed.

A run is a job that is cut into chunks; these are jobs which several workers share.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from analysis.metrics.batch import References
from analysis.metrics.encoding.embedding import GROUP_TEXTS, GROUP_VIDEOS, groups
from analysis.metrics.encoding.encoder import IMAGE_TEXT
from analysis.metrics.encoding.models import DemoModelRefused, ModelChoice
from analysis.metrics.parts import refuse_middle
from analysis.metrics.registry import (
    Need,
    embedding_models,
    families_of,
    needs_of,
    resources,
)
from analysis.metrics.scoring import NO_FRAMES, label_checked
from analysis.metrics.settings import Settings
from analysis.models import (
    MetricChunk,
    MetricChunkQuerySet,
    MetricCorpus,
    MetricFault,
    MetricRun,
    MetricScore,
)
from analysis.services.metric_context import CHUNKED, Job
from daplatform.errors import DomainError
from daplatform.jobs.services import job_stop
from hits.models import Campaign, Caption, Clip, System

Status = MetricRun.Status
Kind = MetricChunk.Kind
WORKERS_WOKEN = 16


def metric_run_request(
    *,
    campaign: Campaign,
    metrics: Sequence[str],
    requested_by: User | None = None,
    chosen: Settings | None = None,
    model: ModelChoice | None = None,
    anyway: bool = False,
    corpus: Corpus | None = None,
    label: str = "",
) -> MetricRun:
    """Ask for metrics of the captions there are at this moment. The caller wakes a worker.

    ``anyway`` lets the demo model judge a campaign that is not the demo's; ``label`` keeps scores
    apart that the same metrics got otherwise.
    """
    if not metrics:
        raise DomainError("Choose at least one metric.")
    try:
        needs = needs_of(metrics)
        label_checked(label)
        if Clip.objects.filter(video__campaign=campaign).exists():
            refuse_middle(metrics, chosen or Settings())
    except ValueError as error:
        raise DomainError(f"These metrics cannot be computed: {error}.") from None
    model = model or ModelChoice()
    if model.is_demo and IMAGE_TEXT.name in needs and not (campaign.is_demo or anyway):
        raise DomainError(str(DemoModelRefused("tick the box to use it anyway")))
    captions = Caption.objects.filter(system__campaign=campaign, retired_at=None)
    if not captions.exclude(system__role=System.Role.REFERENCE).exists():
        raise DomainError("There are no captions to score: the campaign has references only.")
    choices = asdict(chosen or Settings()) | asdict(model) | {"rendered": campaign.is_demo}
    last = captions.aggregate(last=Max("pk"))["last"]
    try:
        with transaction.atomic():
            return MetricRun.objects.create(
                campaign=campaign,
                requested_by=requested_by,
                metrics=list(dict.fromkeys(metrics)),
                choices=choices,
                corpus=_corpus_keep(campaign, corpus) if corpus else None,
                label=label,
                last_caption=last,
            )
    except IntegrityError:
        raise DomainError("This campaign is already being scored.") from None


@dataclass(frozen=True)
class Corpus:
    """Where rare words are counted, as it came in a file."""

    name: str
    references: References


def _corpus_keep(campaign: Campaign, corpus: Corpus) -> MetricCorpus:
    """The row of this content; given twice it is kept once."""
    if not corpus.references:
        raise DomainError("The corpus holds no captions.")
    content = json.dumps(corpus.references, sort_keys=True)
    kept, _ = MetricCorpus.objects.get_or_create(
        campaign=campaign,
        digest=hashlib.sha256(content.encode()).hexdigest(),
        defaults={"name": corpus.name[:200], "references": dict(corpus.references)},
    )
    return kept


def metric_run_choose(*, run: MetricRun, is_chosen: bool) -> None:
    """Take a run's scores into tables and comparisons with people, or out of them."""
    MetricRun.objects.filter(pk=run.pk).update(is_chosen=is_chosen)


@transaction.atomic
def metric_run_cancel(*, run: MetricRun) -> None:
    """Begin no further chunk. What is embedded stays, so that to score again costs little."""
    if not job_stop(job=run):
        raise DomainError("This run has already ended.")
    run.chunks.stop()


def chunks_of(job: Job) -> Iterator[MetricChunk]:
    """The pieces of a run, cut as `manage.py score` embeds: in these groups the bytes are the same.

    Metrics that need no model come first and at once; those that do, when all is embedded.
    """
    kinds: dict[frozenset[str], list[str]] = {}
    at_once = {Need.REFERENCES, *(one.name for one in resources() if one.quick)}
    for names in families_of(job.metrics).values():
        kinds.setdefault(needs_of(names) - at_once, []).extend(names)
    for needs, names in kinds.items():
        waits = bool(needs & embedding_models())
        yield MetricChunk(kind=Kind.SCORES, items=names, size=len(names), waits=waits)
    for kind, model in CHUNKED.items():
        total = job.wanted.texts.get(model, ())
        for begin in range(0, len(total), GROUP_TEXTS):
            end = min(begin + GROUP_TEXTS, len(total))
            yield MetricChunk(kind=kind, items=[begin, end], size=end - begin)
    yield from _video_chunks(job)


def _video_chunks(job: Job) -> Iterator[MetricChunk]:
    """Of videos with the same bytes the first alone: two workers must not embed them at once."""
    seen: set[str] = set()
    for group in groups(job.wanted.videos.items(), GROUP_VIDEOS):
        ids = []
        for name, video in group:
            if video.sha256 not in seen:
                seen.add(video.sha256)
                ids.append(job.material.video_ids[name])
        if ids:
            yield MetricChunk(kind=Kind.VIDEOS, items=ids, size=len(ids))


@transaction.atomic
def metric_run_retry(*, run: MetricRun) -> list[MetricChunk]:
    """Retry what failed, each video on its own; what was scored from embeddings, anew.

    The caller wakes workers for these chunks.
    """
    run = MetricRun.objects.select_for_update().get(pk=run.pk)
    videos = sorted({fault.video_id for fault in videos_to_retry(run) if fault.video_id})
    failed = chunks_to_retry(run)
    if not metric_run_may_retry(run):
        raise DomainError("There is nothing to retry.")
    if run.campaign.metric_runs.filter(status__in=MetricRun.ACTIVE).exists():
        raise DomainError("This campaign is already being scored.")
    videos_to_retry(run).delete()
    again = Q(kind=Kind.SCORES, waits=True) | Q(pk__in=[chunk.pk for chunk in failed])
    _begin_again(run, run.chunks.filter(again))
    number = run.chunks.count()
    MetricChunk.objects.bulk_create(
        MetricChunk(run=run, number=number + place, kind=Kind.VIDEOS, items=[pk], size=1)
        for place, pk in enumerate(videos)
    )
    MetricRun.objects.filter(pk=run.pk).update(status=Status.RUNNING, finished_at=None)
    return list(run.chunks.due()[:WORKERS_WOKEN])


def metric_run_may_retry(run: MetricRun) -> bool:
    """Whether something failed that may go well another time."""
    if run.status != Status.DONE:
        return False
    return videos_to_retry(run).exists() or bool(chunks_to_retry(run))


def videos_to_retry(run: MetricRun) -> QuerySet[MetricFault]:
    """A missing reference stays missing; a video may have been put in its place since."""
    lost = Q(chunk__kind=Kind.VIDEOS) | Q(message=NO_FRAMES)
    return MetricFault.objects.filter(lost, chunk__run=run, video__isnull=False)


def chunks_to_retry(run: MetricRun) -> list[MetricChunk]:
    """Those that failed as a whole, not for single videos."""
    about_videos = MetricFault.objects.filter(chunk=OuterRef("pk"), video__isnull=False)
    return list(run.chunks.filter(~Exists(about_videos), status=Status.FAILED))


def _begin_again(run: MetricRun, chunks: MetricChunkQuerySet) -> None:
    names = [name for chunk in chunks if chunk.kind == Kind.SCORES for name in chunk.items]
    MetricScore.objects.filter(run=run, metric__in=names).delete()
    MetricFault.objects.filter(chunk__in=chunks).delete()
    chunks.again(seconds=None)
