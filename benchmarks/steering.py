"""Steering a launch of 10,000 HITs on PostgreSQL: to see what a turn does, and to confirm it.

    python -m benchmarks.steering [--hits 10000] [--profile "top up"]

Each turn is looked at and then taken, one after the other, by the services that the pages call.
Exit code 1 where one takes longer than its goal: a person waits for it in a web request.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.pages import site

if TYPE_CHECKING:
    from crowds.models import Launch
    from hits.models import Batch

GOAL_S = 3.0
PEOPLE = 2


def composed(hits: int) -> Batch:
    """A batch of so many HITs, nearly all of them empty: nobody looks into them here."""
    from hits.models import Hit
    from tests.factories import make_campaign, make_hit

    batch = make_hit(make_campaign(assignments=PEOPLE)).batch
    Hit.objects.bulk_create(Hit(batch=batch, number=number) for number in range(2, hits + 1))
    return batch


def published(launch: Launch) -> None:
    """The crowd has everything that was wanted so far."""
    from django.utils import timezone

    from crowds.models import OutboxMessage

    OutboxMessage.objects.update(state=OutboxMessage.State.DONE, ended_at=timezone.now())
    launch.publications.update(status="open")


def rated(launch: Launch) -> None:
    """One person has rated each HIT, and every other one is left out."""
    from django.utils import timezone

    from annotations.models import Annotator, Assignment
    from crowds.models import Submission

    now = timezone.now()
    turns = list(Assignment.objects.filter(hit__batch=launch.batch, slot=1))
    publications = dict(launch.publications.values_list("published_hits__hit", "pk"))
    people = Annotator.objects.bulk_create(Annotator(pseudonym=f"a{turn.pk}") for turn in turns)
    for turn, person in zip(turns, people, strict=True):
        turn.annotator, turn.state = person, Assignment.State.SUBMITTED
        turn.claimed_at = turn.expires_at = turn.submitted_at = now
    moments = ["claimed_at", "expires_at", "submitted_at"]
    Assignment.objects.bulk_update(turns, ["annotator", "state", *moments], batch_size=1_000)
    Submission.objects.bulk_create(
        Submission(crowd="mturk", external_id=f"s{turn.pk}",
                   publication_id=publications[turn.hit_id], annotator=turn.annotator,
                   assignment=turn, status="submitted", submitted_at=now, pay="pay",
                   decided_at=now, use=bool(number % 2))
        for number, turn in enumerate(turns)
    )  # fmt: skip


def refused(launch: Launch) -> None:
    """The crowd's account was empty."""
    from django.utils import timezone

    from crowds.models import OutboxMessage

    messages = OutboxMessage.objects.filter(
        publication__launch=launch, kind=OutboxMessage.Kind.PUBLISH
    )
    messages.update(state=OutboxMessage.State.FAILED, ended_at=timezone.now())
    launch.publications.update(status="closed")


def timed(work: Callable[[], Any], *, profile: bool = False) -> tuple[float, Any]:
    with cProfile.Profile() if profile else nullcontext() as profiler:
        begun = time.perf_counter()
        result = work()
        taken = time.perf_counter() - begun
    if profiler is not None:
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(45)
    return taken, result


def steps() -> list[tuple[str, Callable[..., object], dict[str, int], Callable[..., None]]]:
    """The turns in the order they are taken: name, service, wishes, and what happens before."""
    from crowds.services import launches, topups

    return [
        ("extend within places", topups.launch_extend, {"people": 1}, published),
        ("top up", topups.launch_top_up, {}, rated),
        ("extend for days", topups.launch_extend, {"days": 9}, published),
        ("extend beyond places", topups.launch_extend, {"people": 8}, published),
        ("pause", launches.launch_pause, {}, published),
        ("resume", launches.launch_resume, {}, published),
        ("publish again", launches.launch_publish_again, {}, refused),
        ("close", launches.launch_close, {}, published),
    ]


def measure(hits: int, profiled: str) -> bool:
    """Print the table; whether every goal is met."""
    from crowds.registry import MODULES, connect
    from crowds.selectors.offering import Choices, launch_estimate
    from crowds.services.launch_actions import launch_action_preview, launch_action_take
    from crowds.services.launches import batch_launch, policy_update

    MODULES["mturk"] = "tests.crowd"
    batch = composed(hits)
    by = batch.campaign.owner
    policy_update(campaign=batch.campaign, by=by, budget=Decimal("9999999"))
    asked: dict[str, Any] = {
        "batch": batch,
        "choices": Choices(crowd="mturk", reward=Decimal("0.99")),
    }
    profile = profiled == "launch"
    estimate = partial(launch_estimate, gateway=connect("mturk"), **asked)
    looking, _ = timed(estimate, profile=profile)
    doing, launch = timed(partial(batch_launch, by=by, **asked), profile=profile)
    met = show("launch", looking, doing)
    for name, service, wishes, before in steps():
        before(launch)
        launch.refresh_from_db()
        asked = {"service": service, "launch": launch, "by": by} | wishes
        profile = profiled == name
        looking, _ = timed(partial(launch_action_preview, **asked), profile=profile)
        doing, effect = timed(partial(launch_action_take, **asked), profile=profile)
        if effect.obstacle:
            raise RuntimeError(effect.obstacle)
        met = show(name, looking, doing) and met
    return met


def show(name: str, looking: float, doing: float) -> bool:
    missed = max(looking, doing) > GOAL_S
    print(f"{name:22} {looking:6.2f} s {doing:6.2f} s{'  MISSED' * missed}", flush=True)
    return not missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hits", type=int, default=10_000)
    parser.add_argument("--profile", default="", help="the turn to be profiled")
    options = parser.parse_args()
    with site():
        print(f"{options.hits:,} HITs: goal {GOAL_S} s\n{'turn':22} {'seen':>8} {'done':>8}")
        return 0 if measure(options.hits, options.profile) else 1


if __name__ == "__main__":
    sys.exit(main())
