"""Every task twice, every task killed after each of its steps, and tasks in any order."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.utils import timezone

from crowds.models import OutboxMessage
from crowds.selectors.money import campaign_sums
from crowds.services.outbox import CLAIM_LAPSES
from daplatform.celery import app
from daplatform.jobs.models import Job
from daplatform.jobs.services import kind_of, kinds, left_behind
from daplatform.jobs.tasks import job_run_task
from daplatform.verification import INVARIANTS
from tests.crowds.test_outbox import Killed
from tests.faults.living import JOBS, LONG_AGO, TASKS, World, world_in

pytestmark = pytest.mark.django_db
OURS = ("hits.", "annotations.", "crowds.", "analysis.", "daplatform.")
TIMES = int(os.environ.get("CHAOS_TIMES", "1"))
NEVER = 0
EVERYTHING = [*TASKS, *JOBS]
NOT_INTERRUPTED = {"analysis.tasks.metric_worker_report_task"}  # one statement, and slow

# What the sweeps do once more in the end.
LAST = [
    f"crowds.tasks.{name}" for name in ("launch_sync_task", "launch_tend_task", "launch_sync_task")
]


@pytest.fixture
def world(monkeypatch, tmp_path) -> World:
    return world_in(tmp_path, monkeypatch)


def run(name: str, world: World) -> None:
    """A task, or the jobs of a kind."""
    if name in TASKS:
        app.tasks[name](*TASKS[name](world))
    else:
        for job in JOBS[name](world):
            job_run_task(name, kinds()[name].key(job))


def assert_nothing_is_amiss(world: World) -> None:
    assert [each.sentence for each in INVARIANTS if list(each.broken())] == []
    assert campaign_sums(world.campaign).spent == world.market.spent
    references = [each.reference for each in world.market.out.values()]
    assert len(references) == len(set(references))


def test_there_is_a_row_for_every_task():
    app.loader.import_default_modules()
    known = {name for name in app.tasks if name.startswith(OURS)}
    assert known == {*TASKS, job_run_task.name}, "add new tasks to tests/faults/living.py"


def test_there_is_a_row_for_every_kind_of_job(world):
    assert set(kinds()) == set(JOBS), "add new kinds to tests/faults/living.py"
    for name, jobs in JOBS.items():
        assert jobs(world)
        assert all(job.is_active and kind_of(job).name == name for job in jobs(world))


def test_every_job_is_of_a_kind():
    ours = [model for model in apps.get_models() if issubclass(model, Job)]
    assert sorted(kind.model.__name__ for kind in kinds().values()) == sorted(
        model.__name__ for model in ours
    )


def test_a_task_that_comes_twice_has_run_once(world):
    for name in EVERYTHING:
        with world.undone(), named(name):
            run(name, world)
            once = world.picture()
            run(name, world)
            assert world.picture() == once
            run("annotations.tasks.assignments_expire_task", world)
            assert_nothing_is_amiss(world)


@contextlib.contextmanager
def named(name: str) -> Iterator[None]:
    """Say of which task an error speaks."""
    try:
        yield
    except Exception as error:
        error.add_note(name)
        raise


class Axe:
    """Kills whoever sends the n-th statement to the database, before it is carried out."""

    def __init__(self, number: int) -> None:
        self.left = number

    def __call__(self, execute: Callable[..., Any], *args: Any) -> Any:
        self.left -= 1
        if self.left == 0:
            raise Killed
        return execute(*args)


def is_killed_at(number: int, name: str, world: World) -> bool:
    """Run a task that dies at its n-th statement; False where it has no more as many."""
    with connection.execute_wrapper(Axe(number)):
        try:
            run(name, world)
        except Killed:
            # A statement in no transaction of the task's own is here in the test's: that goes on.
            transaction.set_rollback(False)
            return True
    return False


def everybody_is_long_gone() -> None:
    """As if the time had passed after which a silent worker counts as dead."""
    for model in (OutboxMessage, *(kind.model for kind in kinds().values())):
        claimed = model._base_manager.filter(claimed_at__isnull=False)
        claimed.update(claimed_at=timezone.now() - LONG_AGO)
    OutboxMessage.objects.update(next_try_at=timezone.now() - CLAIM_LAPSES)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_task_killed_at_any_step_is_finished_by_the_next(world):
    """The next run, or the sweeps, bring it to where it would have been."""
    for name in sorted(set(EVERYTHING) - NOT_INTERRUPTED):
        _, undisturbed = taken_up(NEVER, name, world)
        for number in moments():
            with named(f"{name} killed at statement {number}"):
                killed, end = taken_up(number, name, world)
                assert end == undisturbed
            if not killed:
                break


def moments() -> Iterator[int]:
    """At which of its statements a task is killed: in `make chaos` at every one, once."""
    return count(1) if TIMES > 1 else (2**power for power in count())


def taken_up(number: int, name: str, world: World) -> tuple[bool, dict[str, Any]]:
    """Whether a task was killed at its n-th statement, and where things stand after the sweeps."""
    with world.undone():
        killed = is_killed_at(number, name, world)
        everybody_is_long_gone()
        assert_the_sweep_finds(name, world)
        run("crowds.tasks.outbox_resume_task", world)
        run(name, world)
        if name == "metrics":  # what was cut into chunks is found by them
            for job in left_behind(kinds()["metric chunks"]):
                job_run_task("metric chunks", job.run_id)
        run("crowds.tasks.outbox_resume_task", world)
        run("annotations.tasks.assignments_expire_task", world)
        assert_nothing_is_amiss(world)
        return killed, world.outline()


def assert_the_sweep_finds(name: str, world: World) -> None:
    """What was interrupted does not depend on anybody who calls the task again."""
    if name in JOBS:
        kind = kinds()[name]
        found = {kind.key(job) for job in left_behind(kind)}
        wanted = kind.model.objects.filter(pk__in=[job.pk for job in JOBS[name](world)]).active()
        # One without a claim that runs was handed over: its parts are found by themselves.
        waiting = kind.model.Status.WAITING if kind.by == "pk" else None
        lost = [job for job in wanted if job.claimed_at or job.status == waiting]
        assert {kind.key(job) for job in lost} <= found


def test_tasks_in_any_order_come_to_the_same(world):
    names = [name for name in EVERYTHING if "metric" not in name]
    for seed in range(2 * TIMES):
        random.Random(seed).shuffle(names)
        with world.undone(), named(f"in the order of seed {seed}"):
            for name in [*names, *LAST]:
                run(name, world)
                assert campaign_sums(world.campaign).spent == world.market.spent
            assert_nothing_is_amiss(world)
            assert len(world.market.out) == 1
            states = sorted(str(turn.status) for turn in world.market.turns.values())
            assert states == ["approved", "approved"]
