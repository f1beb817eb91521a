"""Runs of metrics: asked for, cut into chunks, cancelled, tried again where they failed.

The rows are the truth and the queue only a wake-up: whoever is woken does one chunk of the run, and
wakes the next. What a dead worker left behind is found by its silence.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from analysis.metrics.batch import References
from analysis.metrics.embedding import GROUP_TEXTS, GROUP_VIDEOS, groups
from analysis.metrics.models import DemoModelRefused, ModelChoice
from analysis.metrics.registry import Need, families_of
from analysis.metrics.scoring import NO_FRAMES, label_checked
from analysis.metrics.settings import Settings
from analysis.models import MetricChunk, MetricCorpus, MetricFault, MetricRun, MetricScore
from analysis.services.metric_bench import MODELS, Job
from daplatform.errors import DomainError
from hits.models import Campaign, Caption, System

State = MetricRun.State
Kind = MetricChunk.Kind
ACTIVE = (State.WAITING, State.RUNNING)


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
        needs = {need for family in families_of(metrics) for need in family.needs}
        label_checked(label)
    except ValueError as error:
        raise DomainError(f"These metrics cannot be computed: {error}.") from None
    model = model or ModelChoice()
    if model.is_demo and Need.ENCODER in needs and not (campaign.is_demo or anyway):
        raise DomainError(str(DemoModelRefused("say that it shall score them anyway")))
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
        raise DomainError("This campaign is being scored already.") from None


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


def metric_run_cancel(*, run: MetricRun) -> None:
    """Begin no further chunk. What is embedded stays, so that to score again costs little."""
    active = MetricRun.objects.filter(pk=run.pk, state__in=ACTIVE)
    if not active.update(state=State.CANCELLED, finished_at=timezone.now()):
        raise DomainError("This run has ended already.")


def stale_before() -> datetime:
    """A claim that nobody has confirmed since is a dead worker's."""
    return timezone.now() - timedelta(seconds=settings.METRIC_CLAIM_SECONDS)


def metric_runs_left_behind() -> QuerySet[MetricRun]:
    """Runs that workers should be busy with, where none is, or one of them has died."""
    pending = MetricChunk.objects.filter(run=OuterRef("pk"), state=MetricChunk.State.PENDING)
    busy = Exists(pending.filter(claimed_at__gte=stale_before()))
    abandoned = Exists(pending.filter(claimed_at__lt=stale_before()))
    return MetricRun.objects.filter(~busy | abandoned, state__in=ACTIVE)


def chunks_due(run: MetricRun) -> QuerySet[MetricChunk]:
    """What can be begun: scores of embeddings only when there is nothing left to embed."""
    pending = run.chunks.filter(state=MetricChunk.State.PENDING)
    due = pending.filter(Q(claimed_at=None) | Q(claimed_at__lt=stale_before())).order_by("number")
    embedding = pending.exclude(kind=Kind.SCORES).exists()
    return due.filter(waits=False) if embedding else due


def chunks_of(job: Job) -> Iterator[MetricChunk]:
    """The pieces of a run, cut as `manage.py score` embeds: in these groups the bytes are the same.

    Metrics that need no model come first and at once; those that do, when all is embedded.
    """
    kinds: dict[frozenset[Need], list[str]] = {}
    for family, names in families_of(job.metrics).items():
        kinds.setdefault(family.needs - {Need.REFERENCES}, []).extend(names)
    for needs, names in kinds.items():
        waits = bool(needs & MODELS)
        yield MetricChunk(kind=Kind.SCORES, items=names, size=len(names), waits=waits)
    for kind, total in ((Kind.SENTENCES, job.wanted.sentences), (Kind.TEXTS, job.wanted.texts)):
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
def metric_run_retry(*, run: MetricRun) -> None:
    """Try what failed again, each video on its own; what was scored from embeddings, anew."""
    run = MetricRun.objects.select_for_update().get(pk=run.pk)
    videos = sorted({fault.video_id for fault in videos_to_retry(run) if fault.video_id})
    failed = chunks_to_retry(run)
    if not metric_run_may_retry(run):
        raise DomainError("There is nothing to try again.")
    if run.campaign.metric_runs.filter(state__in=ACTIVE).exists():
        raise DomainError("This campaign is being scored already.")
    videos_to_retry(run).delete()
    again = Q(kind=Kind.SCORES, waits=True) | Q(pk__in=[chunk.pk for chunk in failed])
    _begin_again(run, run.chunks.filter(again))
    number = run.chunks.count()
    MetricChunk.objects.bulk_create(
        MetricChunk(run=run, number=number + place, kind=Kind.VIDEOS, items=[pk], size=1)
        for place, pk in enumerate(videos)
    )
    MetricRun.objects.filter(pk=run.pk).update(state=State.RUNNING, finished_at=None)


def metric_run_may_retry(run: MetricRun) -> bool:
    """Whether something failed that may go well another time."""
    return run.state == State.DONE and (videos_to_retry(run).exists() or bool(chunks_to_retry(run)))


def videos_to_retry(run: MetricRun) -> QuerySet[MetricFault]:
    """A missing reference stays missing; a video may have been put in its place since."""
    lost = Q(chunk__kind=Kind.VIDEOS) | Q(message=NO_FRAMES)
    return MetricFault.objects.filter(lost, chunk__run=run, video__isnull=False)


def chunks_to_retry(run: MetricRun) -> list[MetricChunk]:
    """Those that failed as a whole, not for single videos."""
    about_videos = MetricFault.objects.filter(chunk=OuterRef("pk"), video__isnull=False)
    return list(run.chunks.filter(~Exists(about_videos), state=MetricChunk.State.FAILED))


def _begin_again(run: MetricRun, chunks: QuerySet[MetricChunk]) -> None:
    names = [name for chunk in chunks if chunk.kind == Kind.SCORES for name in chunk.items]
    MetricScore.objects.filter(run=run, metric__in=names).delete()
    MetricFault.objects.filter(chunk__in=chunks).delete()
    chunks.update(state=MetricChunk.State.PENDING, attempts=0, claimed_at=None, seconds=None)
