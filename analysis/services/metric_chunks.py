"""Doing the work of a run, chunk by chunk, by as many workers as are woken."""

from __future__ import annotations

import time

from django.db import OperationalError, transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from analysis.models import MetricChunk, MetricFault, MetricRun
from analysis.services.metric_bench import MODELS, job_of, precision
from analysis.services.metric_runs import ACTIVE, chunks_due, chunks_of
from analysis.services.metric_work import Outcome, chunk_do, chunk_failure
from analysis.services.waiting import signs_of_life

State = MetricChunk.State
ATTEMPTS = 3
WORKERS_WOKEN = 16
UNEXPECTED = "something went wrong here, and was written to the log"
GIVEN_UP = f"{ATTEMPTS} workers died over it, or over others of its group"


def metric_run_work(*, pk: int) -> int:
    """Do one chunk of a run; returns how many workers to wake for what is left. Safe to run twice.

    The first to come cuts the run into chunks, and wakes others to share them.
    """
    run = MetricRun.objects.filter(pk=pk, state__in=ACTIVE).first()
    if run is None:
        return 0
    if run.state == MetricRun.State.WAITING:
        return _begin(run)
    if run.precision and run.precision != precision():
        return 0
    _give_up(run)
    chunk = _claim(run)
    if chunk is not None:
        _work(run, chunk)
    _finish(run)
    return _to_wake(run, chunk)


def metric_run_finish(*, pk: int) -> None:
    """Do all of a run in this process, where there is no queue."""
    while metric_run_work(pk=pk):
        pass


def _begin(run: MetricRun) -> int:
    try:
        return _lay_out(run)
    except OperationalError:
        raise  # the database is busy or away: another time
    except Exception:
        waiting = MetricRun.objects.filter(pk=run.pk, state=MetricRun.State.WAITING)
        waiting.update(state=MetricRun.State.FAILED, problem=f"{UNEXPECTED.capitalize()}.")
        raise


def _lay_out(run: MetricRun) -> int:
    """Cut the run into chunks, unless somebody else has."""
    job = job_of(run)
    waiting = MetricRun.objects.filter(pk=run.pk, state=MetricRun.State.WAITING)
    kind = precision() if job.needs & MODELS else ""
    with transaction.atomic():
        if not waiting.update(state=MetricRun.State.RUNNING, precision=kind):
            return 0
        for number, chunk in enumerate(chunks := list(chunks_of(job))):
            chunk.run, chunk.number = run, number
        MetricChunk.objects.bulk_create(chunks, batch_size=1_000)
    return min(WORKERS_WOKEN, chunks_due(run).count())


def _claim(run: MetricRun) -> MetricChunk | None:
    """The next chunk that is due, if nobody else is quicker; then the one after it."""
    while chunk := chunks_due(run).filter(run__state=MetricRun.State.RUNNING).first():
        same = MetricChunk.objects.filter(
            pk=chunk.pk, state=State.PENDING, claimed_at=chunk.claimed_at
        )
        if same.update(claimed_at=timezone.now(), attempts=F("attempts") + 1):
            return chunk
    return None


def _give_up(run: MetricRun) -> None:
    """A chunk that killed every worker that tried it would kill the next one too."""
    dead = chunks_due(run).filter(attempts__gte=ATTEMPTS)
    for chunk in dead:
        _record(run, chunk, chunk_failure(run, chunk, GIVEN_UP), seconds=None)


def _finish(run: MetricRun) -> None:
    pending = MetricChunk.objects.filter(run=OuterRef("pk"), state=State.PENDING)
    over = MetricRun.objects.filter(~Exists(pending), pk=run.pk, state=MetricRun.State.RUNNING)
    if over.update(state=MetricRun.State.DONE, finished_at=timezone.now()):
        _forget_replaced(run)


def _forget_replaced(run: MetricRun) -> None:
    """Earlier runs that say nothing this one does not say."""
    earlier = MetricRun.objects.filter(
        campaign=run.campaign_id,
        pk__lt=run.pk,
        choices=run.choices,
        corpus=run.corpus_id,
        label=run.label,
    )
    for old in earlier.exclude(state__in=ACTIVE):
        if set(old.metrics) <= set(run.metrics):
            old.delete()


def _to_wake(run: MetricRun, chunk: MetricChunk | None) -> int:
    """One to go on; several where the last embeddings let several chunks of scores begin."""
    if chunk is None or not MetricRun.objects.filter(pk=run.pk, state__in=ACTIVE).exists():
        return 0
    due = chunks_due(run).count()
    opened = chunk.kind != MetricChunk.Kind.SCORES and chunks_due(run).filter(waits=True).exists()
    return min(WORKERS_WOKEN if opened else 1, due)


def _work(run: MetricRun, chunk: MetricChunk) -> None:
    began = time.monotonic()
    try:
        with signs_of_life(MetricChunk.objects.filter(pk=chunk.pk)):
            outcome = chunk_do(run, chunk)
    except OperationalError:
        raise  # the database is busy or away: the chunk is taken up again later
    except Exception:
        _record(run, chunk, chunk_failure(run, chunk, UNEXPECTED), seconds=None)
        raise
    _record(run, chunk, outcome, seconds=time.monotonic() - began)


@transaction.atomic
def _record(run: MetricRun, chunk: MetricChunk, outcome: Outcome, seconds: float | None) -> None:
    """The end of a chunk, unless another worker has ended it already."""
    same = MetricChunk.objects.filter(pk=chunk.pk, state=State.PENDING)
    if not same.update(
        state=outcome.state,
        seconds=seconds,
        signatures=dict(outcome.signatures),
        notes=list(outcome.notes),
    ):
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
