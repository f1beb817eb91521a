"""Many workers at once on a database that lets them: each chunk is one worker's."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from analysis.models import MetricChunk, MetricRun
from analysis.services import metric_chunks
from analysis.services.metric_chunks import Outcome
from daplatform.jobs.services import job_finish, job_run

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def test_workers_that_come_at_once_never_take_the_same_chunk(campaign, ask, monkeypatch):
    taken: list[int] = []

    def take(run, chunk):
        taken.append(chunk.pk)
        return Outcome()

    monkeypatch.setattr(metric_chunks, "chunk_do", take)
    run = ask()
    job_run(run)
    pattern = run.chunks.filter(kind="videos").first()
    MetricChunk.objects.bulk_create(
        MetricChunk(run=run, number=100 + n, kind="videos", items=pattern.items, size=16)
        for n in range(100)
    )

    def work(_) -> None:
        try:
            job_finish(pattern)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    run.refresh_from_db()
    assert run.status == MetricRun.Status.DONE
    assert set(Counter(taken).values()) == {1}
    assert len(taken) == run.chunks.count()
    assert set(run.chunks.values_list("attempts", flat=True)) == {1}


def test_a_run_is_cut_into_chunks_once_however_many_come_first(campaign, ask):
    run = ask()

    def begin(_) -> int:
        try:
            return len(job_run(run))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        woken = list(pool.map(begin, range(4)))
    assert sorted(woken)[:3] == [0, 0, 0]
    assert sorted(run.chunks.values_list("number", flat=True)) == list(range(run.chunks.count()))
