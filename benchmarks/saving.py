"""200 annotators at once posting ratings to gunicorn and PostgreSQL, against a bare INSERT.

Flat out they post as fast as answers come, which no person does: that gives the ratings per
second, and the ratio to a bare single-row INSERT through the same stack, in turns in one run.
At a hurried person's pace, a rating every four seconds, it gives the times a person waits. Every
twentieth post is sent twice, as after a lost answer; at the end rows are counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from benchmarks.load.annotator import EVIDENCE
from benchmarks.load.ledger import percentiles
from tests.services import free_port, postgres, server

ANNOTATORS = 200
SIZE = 100
FLAT_OUT = 80
BLOCK = 20
PACE_SECONDS = 4.0
RESEND = 20
MAX_RATIO = 3.0
MAX_P99_MS = 100.0


class Annotator:
    """One kept-open connection, and the receipts that came over it."""

    def __init__(self, token: str, assignment: int, receipts: dict[int, str]) -> None:
        self.token, self.assignment, self.receipts = token, assignment, receipts

    async def connect(self, port: int) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
        self.host = f"127.0.0.1:{port}"

    async def rate(self, position: int) -> list[float]:
        """Save a rating, sometimes twice; the seconds each post took."""
        body = {
            "receipt": self.receipts[position], "key": str(uuid.uuid4()), "score": position,
            "fluency": None, "evidence": EVIDENCE,
        }  # fmt: skip
        times = []
        for _ in range(2 if position % RESEND == RESEND - 1 else 1):
            seconds, answer = await self.post("/rate/save", body)
            times.append(seconds)
        self.receipts |= {item["position"]: item["receipt"] for item in answer["items"]}
        return times

    async def bare(self, position: int) -> list[float]:
        row = {"assignment": self.assignment, "position": position, "score": position}
        seconds, _ = await self.post(
            "/bare", row | {"key": str(uuid.uuid4()), "evidence": EVIDENCE}
        )
        return [seconds]

    async def post(self, path: str, body: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nOrigin: http://{self.host}\r\n"
            f"X-Assignment: {self.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        begun = time.perf_counter()
        self.writer.write(head.encode() + content)
        status = int((await self.reader.readline()).split()[1])
        length = 0
        while (line := await self.reader.readline()) != b"\r\n":
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        answer = json.loads(await self.reader.readexactly(length))
        if status != 200:
            raise RuntimeError(f"{path} answered {status}: {answer}")
        return time.perf_counter() - begun, answer


Act = Callable[[Annotator, int], Awaitable[list[float]]]


async def flat_out(
    people: list[Annotator], act: Act, positions: range
) -> tuple[float, list[float]]:
    """Everybody works through the positions at once; wall time and the time of every post."""

    async def work(person: Annotator) -> list[float]:
        return [seconds for position in positions for seconds in await act(person, position)]

    begun = time.perf_counter()
    times = await asyncio.gather(*map(work, people))
    return time.perf_counter() - begun, [seconds for own in times for seconds in own]


async def paced(people: list[Annotator], positions: range) -> list[float]:
    """Everybody rates once in PACE_SECONDS, spread evenly, whatever the others do."""

    async def work(person: Annotator, offset: float) -> list[float]:
        times = []
        for number, position in enumerate(positions):
            due = begun + offset + number * PACE_SECONDS
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            times += await person.rate(position)
        return times

    begun = time.perf_counter()
    offsets = [PACE_SECONDS * number / len(people) for number in range(len(people))]
    times = await asyncio.gather(*map(work, people, offsets))
    return [seconds for own in times for seconds in own]


def report(name: str, rate: float, times: list[float]) -> None:
    p50, p95, p99 = percentiles(times)
    print(f"{name:<28} {rate:6.0f} /s   p50 {p50:6.1f}   p95 {p95:6.1f}   p99 {p99:6.1f} ms")


async def measure(people: list[Annotator], port: int) -> tuple[float, float]:
    """The ratio flat out, and the 99th percentile at a person's pace."""
    for person in people:
        await person.connect(port)
    await flat_out(people, Annotator.bare, range(2))  # connections, plans and caches are warm
    seconds: dict[str, float] = {"bare": 0.0, "rate": 0.0}
    times: dict[str, list[float]] = {"bare": [], "rate": []}
    for start in range(0, FLAT_OUT, BLOCK):
        for name, act in (("bare", Annotator.bare), ("rate", Annotator.rate)):
            wall, own = await flat_out(people, act, range(start, start + BLOCK))
            seconds[name] += wall
            times[name] += own
    rates = {name: len(times[name]) / seconds[name] for name in times}
    report("bare INSERT, flat out", rates["bare"], times["bare"])
    report("rating, flat out", rates["rate"], times["rate"])
    begun = time.perf_counter()
    calm = await paced(people, range(FLAT_OUT, SIZE))
    report(
        f"rating, one in {PACE_SECONDS:.0f} s each", len(calm) / (time.perf_counter() - begun), calm
    )
    return rates["bare"] / rates["rate"], percentiles(calm)[2]


def prepare(count: int) -> list[Annotator]:
    """A HIT of 100 captions with an assignment for everybody, all of them claimed."""
    from django.core.management import call_command
    from django.db import connection
    from django.utils import timezone

    from annotations.selectors.work import session_of
    from annotations.services.assignments import batches_open
    from annotations.tokens import Receipt, receipt_sign, session_sign
    from benchmarks.saving_site import TABLE
    from crowds.invite.invitations import annotators_simulate
    from crowds.services.visits import assignment_claim
    from hits.services.composing import batch_compose
    from tests.factories import make_campaign

    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute(TABLE)
    campaign = make_campaign(videos=24, systems=2, assignments=count)
    batch_compose(campaign=campaign)
    batches_open(campaign=campaign)
    names = [str(number) for number in range(count)]
    people = []
    for invitation in annotators_simulate(campaign=campaign, names=names):
        turn = session_of(assignment_claim(campaign=campaign, annotator=invitation.annotator))
        receipts = {
            position: receipt_sign(
                Receipt(position, timezone.now(), 4000), assignment=turn.assignment
            )
            for position in (0, 1)
        }
        people.append(Annotator(session_sign(turn), turn.assignment, receipts))
    return people


def count_rows(people: int) -> None:
    from annotations.models import Rating

    rows = Rating.objects.count()
    kept = Rating.objects.filter(revision=1).values("assignment", "position").distinct().count()
    print(f"{rows:,} rows for {people * SIZE:,} ratings: none lost, none doubled")
    if not rows == kept == people * SIZE:
        sys.exit("rows were lost or doubled")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--annotators", type=int, default=ANNOTATORS)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with postgres(durable=True) as url:
        os.environ |= {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        os.environ["LOG_LEVEL"] = "ERROR"
        import django

        django.setup()
        people = prepare(options.annotators)
        port = free_port()
        gunicorn = [
            sys.executable, "-m", "gunicorn", "benchmarks.saving_site:application",
            "--bind", f"127.0.0.1:{port}", "--workers", str(options.workers), "--threads", "4",
            "--keep-alive", "75", "--backlog", "512", "--log-level", "error",
        ]  # fmt: skip
        with server(gunicorn, port):
            ratio, p99 = asyncio.run(measure(people, port))
        count_rows(options.annotators)
    print(f"a bare INSERT is {ratio:.2f} × as fast (at most {MAX_RATIO:.0f})")
    print(f"p99 of {options.annotators} annotators: {p99:.0f} ms (under {MAX_P99_MS:.0f})")
    if ratio > MAX_RATIO or p99 > MAX_P99_MS:
        sys.exit("too slow")


if __name__ == "__main__":
    main()
