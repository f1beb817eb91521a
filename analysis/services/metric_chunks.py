"""Doing the work of a run, chunk by chunk, by as many workers as are woken."""

from __future__ import annotations

import time

from django.db import transaction

from analysis.metrics.registry import embedding_models
from analysis.models import MetricChunk, MetricFault, MetricRun
from analysis.services.metric_context import job_of, precision
from analysis.services.metric_runs import WORKERS_WOKEN, chunks_of
from analysis.services.metric_work import Outcome, chunk_do, chunk_failure
from daplatform.jobs.services import job_done, job_failed, job_hand_over


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
