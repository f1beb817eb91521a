"""The one mechanism behind all jobs: claimed by one worker, taken up when it dies, ended once."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, OperationalError, transaction
from django.utils import timezone

from analysis.models import Export
from daplatform.disk import NO_SPACE
from daplatform.errors import DomainError
from daplatform.jobs import services, tasks
from daplatform.jobs.services import (
    UNEXPECTED,
    JobKind,
    JobLost,
    job_alive,
    job_claim,
    job_done,
    job_failed,
    job_progress,
    job_release,
    job_run,
    job_stop,
    kind_run,
    left_behind,
    signs_of_life,
)
from daplatform.jobs.tasks import job_run_task, job_wake, jobs_sweep_task
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db
Status = Export.Status


@pytest.fixture
def job(organiser) -> Export:
    return Export.objects.create(
        campaign=make_campaign(owner=organiser), requested_by=organiser, name="ratings",
        format="csv", address="/", choices={}, choices_key="k", rows=10,
    )  # fmt: skip


@pytest.fixture
def does(monkeypatch):
    """Make the jobs of this test do something."""

    def doing(work, **options) -> JobKind:
        kind = JobKind("exports", Export, work, **options)
        for module in (services, tasks):
            monkeypatch.setattr(module, "kinds", lambda: {"exports": kind})
        return kind

    return doing


def claim(job: Export) -> Export | None:
    return job_claim(rows=Export.objects.filter(pk=job.pk))


def fall_silent() -> None:
    """As if the workers of all jobs had died a while ago."""
    running = Export.objects.filter(status=Status.RUNNING)
    running.update(claimed_at=timezone.now() - timedelta(hours=1))


def stand(job: Export) -> tuple[str, str, int]:
    job.refresh_from_db()
    return job.status, job.problem, job.attempts


def test_one_worker_has_it_until_it_falls_silent(job):
    first = claim(job)
    assert first is not None
    assert claim(job) is None
    fall_silent()
    second = claim(job)
    assert second.attempts == 2
    assert not job_done(job=first, size=1)
    assert job_done(job=second, size=2)
    assert stand(job) == ("done", "", 2)
    assert job.size == 2


def test_whoever_lost_a_job_learns_of_it_at_the_next_sign_of_life(job):
    mine = claim(job)
    job_alive(job=mine, progress={"rows": 5})
    job.refresh_from_db()
    assert job.progress == {"rows": 5}
    assert job_stop(job=job)
    assert not job_stop(job=job)
    with pytest.raises(JobLost):
        job_alive(job=mine)
    assert not job_failed(job=mine, problem="too late")
    assert stand(job) == ("stopped", "", 1)


def test_loops_tell_how_far_they_are_once_a_second_and_at_the_end(job, monkeypatch):
    told = []
    monkeypatch.setattr(services, "job_alive", lambda job, progress: told.append(progress["done"]))
    tell = job_progress(claim(job))
    for done in range(11):
        tell("Counting", done, 10)
    assert told == [0, 10]


def test_the_worker_gives_signs_of_life_while_it_works(job, settings, monkeypatch):
    settings.JOB_SILENT_SECONDS = 0.04
    told = threading.Semaphore(0)

    class Rows:
        """Notes what is confirmed: another thread cannot see this test's rows."""

        def update(self, claimed_at):
            told.release()

    monkeypatch.setattr(services, "_mine", lambda job: Rows())
    with signs_of_life(job):
        assert all(told.acquire(timeout=20) for _ in range(3))


def test_a_job_runs_once_however_often_it_is_called(job, does):
    ran = []
    kind = does(lambda job: ran.append(job_done(job=job, size=1)))
    for _ in range(3):
        kind_run(kind, job.pk)
    assert ran == [True]
    assert stand(job) == ("done", "", 1)


def raising(error: Exception):
    def work(job):
        raise error

    return work


def test_a_refusal_is_the_problem(job, does):
    does(raising(DomainError("Nothing to write.")))
    job_run(job)
    assert stand(job) == ("failed", "Nothing to write.", 1)


def test_a_fault_of_ours_is_raised_and_ends_the_waiting(job, does):
    does(raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        job_run(job)
    assert stand(job) == ("failed", UNEXPECTED, 1)


def test_a_fault_after_the_outcome_was_taken_back_is_recorded(job, does):
    def work(job):
        with transaction.atomic():
            job_done(job=job, size=1)
            raise ZeroDivisionError

    does(work)
    with pytest.raises(ZeroDivisionError):
        job_run(job)
    assert stand(job) == ("failed", UNEXPECTED, 1)


def test_a_database_that_is_away_is_waited_for(job, does):
    kind = does(raising(OperationalError("the connection is lost")))
    with pytest.raises(OperationalError):
        job_run(job)
    assert list(left_behind(kind)) == []
    fall_silent()
    assert list(left_behind(kind)) == [job]


def test_a_full_disk_is_said_and_is_nobodys_attempt(job, does):
    kind = does(raising(OSError(28, "No space left on device")))
    for _ in range(kind.attempts + 1):
        job_run(job)
    assert stand(job) == ("waiting", NO_SPACE, 0)
    assert list(left_behind(kind)) == [job]


def test_a_job_that_kills_every_worker_is_given_up(job, does):
    kind = does(raising(SystemExit()), attempts=2)
    for _ in range(2):
        with pytest.raises(SystemExit):
            job_run(job)
        fall_silent()
    job_run(job)
    status, problem, _ = stand(job)
    assert status == "failed"
    assert problem.startswith("2 workers stopped")
    assert list(left_behind(kind)) == []


@pytest.mark.parametrize(("resumes", "attempts"), [(False, 1), (True, 0)])
def test_out_of_time_it_goes_on_with_the_next_worker(job, does, resumes, attempts):
    does(raising(SoftTimeLimitExceeded()), resumes=resumes)
    assert job_run(job) == [job]
    assert stand(job) == ("waiting", "", attempts)


def test_a_stopped_job_is_left_alone(job, does):
    kind = does(lambda job: job_stop(job=job) and job_alive(job=job))
    assert job_run(job) == []
    assert stand(job)[0] == "stopped"
    assert list(left_behind(kind)) == []


def test_what_ended_can_be_done_again_and_what_runs_cannot(job):
    job_failed(job=claim(job), problem="no")
    assert Export.objects.filter(pk=job.pk).again()
    assert stand(job) == ("waiting", "", 0)
    mine = claim(job)
    assert not Export.objects.filter(pk=job.pk).again()
    job_release(job=mine)
    assert stand(job) == ("waiting", "", 1)


def test_the_database_knows_no_other_status_and_no_claim_without_work(job):
    for wrong in ({"status": "odd"}, {"claimed_by": "somebody"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Export.objects.update(**wrong)


def test_lost_messages_and_dead_workers_are_made_good_by_the_sweep(job, does, woken):
    pruned = []
    does(lambda job: None, prune=lambda: pruned.append(1))
    jobs_sweep_task()
    assert woken == [("exports", job.pk)]
    claim(job)
    jobs_sweep_task()
    assert len(woken) == 1
    fall_silent()
    jobs_sweep_task()
    assert woken == 2 * [("exports", job.pk)]
    assert pruned == [1, 1, 1]


def test_a_worker_is_woken_by_the_queue_of_the_job(job, monkeypatch):
    sent = []
    monkeypatch.setattr(
        job_run_task, "apply_async_on_commit", lambda args, queue: sent.append((args, queue))
    )
    job_wake(job)
    assert sent == [(("exports", job.pk), "default")]
