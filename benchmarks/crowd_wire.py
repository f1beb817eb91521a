"""Publishing 1,000 HITs and reading 10,000 submissions through the Mechanical Turk gateway.

The marketplace runs in a process of its own and counts the time it takes to answer. One yardstick
is boto3 alone sending the very same calls in a plain loop; the other is the time that a marketplace
takes which is far away. Compared is processor time, which a busy machine does not change.
"""

from __future__ import annotations

import datetime as dt
import json
import multiprocessing
import os
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

HITS = int(os.environ.get("CROWD_HITS", "1000"))
PEOPLE = 10
REAL_SECONDS = 0.1  # what a call to a marketplace across the world takes
TO_REACH = 0.20


def marketplace(pipe: Any) -> None:
    """The other process: serve, let everybody work when told to, say what it took."""
    from rehearsal.mturk.server import running
    from rehearsal.mturk.service import MarketService
    from rehearsal.mturk.signature import Keys

    service = MarketService(balance=Decimal("1000000.00"))
    with running(service, Keys("AK", "SK")) as server:
        pipe.send(server.origin)
        while (action := pipe.recv()) != "stop":
            if action == "work":
                _work(service)
            pipe.send((server.seconds, dict(service.calls)))


def _work(service: Any) -> None:
    for hit in list(service.market.hits.values()):
        for person in range(hit.max_assignments):
            accepted = service.act("accept", {"hit": hit.id, "worker": f"A{person}"})
            work = {"assignment": accepted["assignment"], "fields": {"code": "C"}}
            service.act("submit", work)


@contextmanager
def market() -> Iterator[tuple[str, Callable[[str], tuple[float, dict[str, int]]]]]:
    """A marketplace's address, and a way to tell it something and hear its counts."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=marketplace, args=(theirs,))
    process.start()

    def tell(action: str) -> tuple[float, dict[str, int]]:
        ours.send(action)
        counts: tuple[float, dict[str, int]] = ours.recv()
        return counts

    try:
        yield ours.recv(), tell
    finally:
        ours.send("stop")
        process.join()


def specs() -> Iterator[Any]:
    from crowds.gateway import HitSpec, PublicationSpec

    for number in range(HITS):
        url = f"https://study.example/rate/enter/{number:064}/"
        yield PublicationSpec(
            reference=f"bench-{number}",
            title="Rate captions of short videos",
            description="Watch short videos and say how well a caption describes each.",
            reward=Decimal("0.99"),
            minutes_expected=20,
            minutes_allowed=180,
            lifetime=dt.timedelta(days=7),
            auto_approval=dt.timedelta(days=7),
            places=(HitSpec(f"hit-{number}", url, PEOPLE),),
            without=("not again",),
        )


def through_gateway(gateway: Any) -> Iterator[Callable[[], Any]]:
    """The two pieces of work, one after the other."""
    published: list[str] = []

    def publish() -> int:
        for number, spec in enumerate(specs()):
            published.append(gateway.publish(spec, key=f"key-{number}").external_id)
        return len(published)

    yield publish
    yield lambda: sum(1 for _ in gateway.submissions(published, undecided=True))


def through_boto3(client: Any) -> Iterator[Callable[[], Any]]:
    """The same calls with nothing around them."""
    from crowds.mturk.wording import annotation_of, question_of

    published: list[str] = []

    def publish() -> int:
        kind = client.create_qualification_type(
            Name="not again", Description="d", QualificationTypeStatus="Active"
        )["QualificationType"]["QualificationTypeId"]
        hit_type = client.create_hit_type(
            Title="Rate",
            Description="Rate",
            Reward="0.99",
            AssignmentDurationInSeconds=10_800,
            QualificationRequirements=[{"QualificationTypeId": kind, "Comparator": "DoesNotExist"}],
        )["HITTypeId"]
        for number, spec in enumerate(specs()):
            (place,) = spec.places
            made = client.create_hit_with_hit_type(
                HITTypeId=hit_type,
                MaxAssignments=place.people,
                LifetimeInSeconds=604_800,
                Question=question_of(place.url),
                RequesterAnnotation=annotation_of(spec, place),
                UniqueRequestToken=f"key-{number}",
            )
            published.append(made["HIT"]["HITId"])
        return len(published)

    def read() -> int:
        for page in client.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 100}):
            len(page["HITs"])
        count = 0
        for hit in published:
            answer = client.list_assignments_for_hit(
                HITId=hit, MaxResults=100, AssignmentStatuses=["Submitted"]
            )
            count += len(answer["Assignments"])
        return count

    yield publish
    yield read


def measured(tell: Any, steps: Iterator[Callable[[], Any]]) -> list[dict[str, Any]]:
    """Wall and processor time, time the marketplace took, and calls, of each step."""
    rows = []
    for name, step in zip(("publish", "read"), steps, strict=True):
        served, before = tell("count")
        started, working = time.perf_counter(), time.process_time()
        count = step()
        wall, busy = time.perf_counter() - started, time.process_time() - working
        after_served, after = tell("work" if name == "publish" else "count")
        calls = {key: after[key] - before.get(key, 0) for key in after if key[0].isupper()}
        rows.append(
            {
                "step": name,
                "things": count,
                "wall": wall,
                "busy": busy,
                "served": after_served - served,
                "calls": {key: number for key, number in calls.items() if number},
            }
        )
    return rows


def gateway_at(address: str) -> Any:
    from crowds.mturk.account import Account
    from crowds.mturk.gateway import MTurkGateway

    return MTurkGateway(Account(address, "us-east-1", "AK", "SK"))


def client_at(address: str) -> Any:
    import boto3

    keys: Any = {"aws_access_key_id": "AK", "aws_secret_access_key": "SK"}
    return boto3.client("mturk", endpoint_url=address, region_name="us-east-1", **keys)


def peak_memory(gateway: Any) -> tuple[int, int]:
    """Bytes at the peak of reading a tenth of the submissions, and all of them."""
    hits = [one.external_id for one in gateway.publications("bench-")]
    peaks = []
    for share in (hits[: len(hits) // 10], hits):
        tracemalloc.start()
        for _ in gateway.submissions(share, undecided=True):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return peaks[0], peaks[1]


def main() -> None:
    with market() as (address, tell):
        ours = measured(tell, through_gateway(gateway_at(address)))
        small, large = peak_memory(gateway_at(address))
    with market() as (address, tell):
        bare = measured(tell, through_boto3(client_at(address)))
    print(f"{HITS:,} HITs for {PEOPLE} people each")
    for mine, theirs in zip(ours, bare, strict=True):
        calls = sum(mine["calls"].values())
        added = mine["busy"] / theirs["busy"] - 1
        share = mine["busy"] / (calls * REAL_SECONDS)
        print(
            f"{mine['step']}: {mine['things']:,} in {mine['wall']:.2f} s, {calls:,} calls "
            f"{json.dumps(mine['calls'])}; the marketplace took {mine['served']:.2f} s of it\n"
            f"  work on this side {mine['busy']:.2f} s, boto3 alone {theirs['busy']:.2f} s: "
            f"we add {added:+.0%}\n"
            f"  beside a marketplace that takes {REAL_SECONDS * 1000:.0f} ms a call, all of this "
            f"side is {share:.1%} more (to reach: under {TO_REACH:.0%})"
        )
    print(
        f"memory while reading: {small / 1e6:.1f} MB for a tenth of the submissions, "
        f"{large / 1e6:.1f} MB for all"
    )


if __name__ == "__main__":
    main()
