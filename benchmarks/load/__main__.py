"""Hundreds of people rating at once, on the site as deploy/ runs it. Loopback only.

annotators: 500 people for two minutes. beside: the same while a million ratings are analysed and
metrics scored on the same machine. growth: the same with 10 k, 100 k and 1 M ratings there before.
flood: the same under 4 and 50 log-ins a second by strangers. sqlite: 20 people who never pause, on
the database of a first start. At the end the rows are
counted: each rating that was called saved is there once, or the run fails.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable

from benchmarks.load.crowd import Crowd
from benchmarks.load.flood import Flood
from benchmarks.load.ledger import SAVE, Ledger, print_cuts, print_waits
from benchmarks.load.material import invite, make_campaign, rate_before, rows_saved
from benchmarks.load.neighbours import Neighbours, busy, make_scored_campaign
from benchmarks.load.site import SERVERS, Site, site
from benchmarks.load.watch import Watch

PEOPLE = 500
ARRIVAL_SECONDS = 30.0
ROUNDS = 3
FLOODED_PEOPLE, FLOODS = 200, (4, 50)
MAX_RATIO = 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--people", type=int, help="default: 500; flood 200; on SQLite 20")
    parser.add_argument("--seconds", type=float, default=120.0, help="to measure each case for")
    parser.add_argument("--pace", type=float, help="seconds from rating to rating, default: 9")
    parser.add_argument("--ratings", type=int, default=1_000_000, help="there before, at most")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # it takes minutes: show what is known
    faults = SCENARIOS[options.scenario](options)
    for fault in faults:
        print(f"FAILED: {fault}")
    sys.exit(1 if faults else 0)


def annotators(options: argparse.Namespace) -> list[str]:
    people = options.people or PEOPLE
    with site() as made:
        links = invite(make_campaign(people=people), people)
        crowd = open_site(made, links, pace=options.pace or 9.0)
        grown = work(crowd, made, options.seconds)
        return [*faults_in(crowd.ledger), *grown]


def sqlite(options: argparse.Namespace) -> list[str]:
    """Nobody pauses: the hardest that so many people can be on one writer at a time."""
    people = options.people or 20
    with site(sqlite=True) as made:
        links = invite(make_campaign(people=people, hits_each=20), people)
        crowd = open_site(made, links, pace=options.pace or 0.0)
        grown = work(crowd, made, options.seconds)
        return [*faults_in(crowd.ledger), *grown]


def growth(options: argparse.Namespace) -> list[str]:
    people = options.people or PEOPLE
    with site() as made:
        campaign = make_campaign(people=people, existing=options.ratings)
        crowd = open_site(made, invite(campaign, people), pace=options.pace or 9.0)
        for size in (options.ratings // 100, options.ratings // 10, options.ratings):
            rate_before(campaign, size)
            asyncio.run(crowd.work(options.seconds))
            print_cuts(f"{size:,} before", crowd.ledger.waits[SAVE])
        return faults_in(crowd.ledger)


def beside(options: argparse.Namespace) -> list[str]:
    """In turns without and with neighbours, so that a machine that changes does so for both."""
    people = options.people or PEOPLE
    waits: dict[str, list[float]] = {"alone": [], "beside": []}
    with site() as made:
        campaign = make_campaign(people=people, existing=options.ratings)
        rate_before(campaign, options.ratings)
        scored = make_scored_campaign(made.folder / "clips")
        crowd = open_site(made, invite(campaign, people), pace=options.pace or 9.0)
        Neighbours(campaign, scored).recompute_once()
        for _ in range(ROUNDS):
            for name in waits:
                with busy(campaign, scored) if name == "beside" else contextlib.nullcontext() as by:
                    asyncio.run(crowd.work(options.seconds / ROUNDS))
                waits[name] += crowd.ledger.waits[SAVE]
                print_cuts(name, crowd.ledger.waits[SAVE], by.summary if by else "")
        faults = faults_in(crowd.ledger)
    print("all together")
    ratio = print_cuts("beside", waits["beside"]) / print_cuts("alone", waits["alone"])
    print(f"p99 of saving a rating: {ratio:.2f} × (at most {MAX_RATIO:.0f})")
    return [*faults, "saving is too slow beside the workers"] if ratio > MAX_RATIO else faults


def flood(options: argparse.Namespace) -> list[str]:
    """Alone, then under each flood, in turns."""
    people = options.people or FLOODED_PEOPLE
    waits: dict[int, list[float]] = {rate: [] for rate in (0, *FLOODS)}
    with site() as made:
        crowd = open_site(
            made, invite(make_campaign(people=people), people), pace=options.pace or 9
        )
        for _ in range(ROUNDS):
            for rate in waits:
                summary = asyncio.run(flooded(crowd, made, options.seconds / ROUNDS, rate))
                waits[rate] += crowd.ledger.waits[SAVE]
                print_cuts(f"{rate} log-ins/s", crowd.ledger.waits[SAVE], summary)
        faults = faults_in(crowd.ledger)
    print("all together")
    alone, *under = (print_cuts(f"{rate} log-ins/s", times) for rate, times in waits.items())
    for rate, p99 in zip(FLOODS, under, strict=True):
        print(f"p99 of saving a rating under {rate} log-ins/s: {p99 / alone:.2f} × that alone")
    return faults


async def flooded(crowd: Crowd, made: Site, seconds: float, rate: int) -> str:
    if not rate:
        await crowd.work(seconds)
        return ""
    raging = Flood(made.wire, rate)
    async with raging.raging():
        await crowd.work(seconds)
    return raging.summary


def open_site(made: Site, links: list[str], *, pace: float) -> Crowd:
    """Start everything, and let everybody in."""
    made.start_units()
    crowd = Crowd(made.wire, links, pace=pace)
    seconds = ARRIVAL_SECONDS * len(links) / PEOPLE
    asyncio.run(crowd.arrive(seconds))
    print(f"{len(links)} annotators arrive in {seconds:.0f} s")
    print_waits(crowd.ledger, seconds)
    return crowd


def work(crowd: Crowd, made: Site, seconds: float) -> list[str]:
    """Measure, print, and name the processes that grew."""
    watch = Watch(made.pids(), summed=SERVERS)
    begun, own = time.perf_counter(), time.process_time()

    async def watched() -> float:
        watching = asyncio.create_task(watch.run())
        taken = await crowd.work(seconds)
        watching.cancel()
        return taken

    taken = asyncio.run(watched())
    print(f"\n{len(crowd.people)} annotators, {taken:.0f} s on {os.cpu_count()} cores")
    print_waits(crowd.ledger, taken)
    grown = watch.report()
    client = (time.process_time() - own) / (time.perf_counter() - begun)
    print(f"{'this client':<24}{100 * client:>5.0f}%")
    return [f"memory grows: {name}" for name in grown]


def faults_in(ledger: Ledger) -> list[str]:
    """Ratings that are not as people were told, and requests without the answer they should get."""
    differences = ledger.differences(rows_saved())
    words = ", ".join(differences) or "none lost, none doubled"
    print(f"{len(ledger.told):,} ratings were called saved: {words}")
    return [*differences, *(f"{times} × {what}" for what, times in ledger.errors.items())]


SCENARIOS: dict[str, Callable[[argparse.Namespace], list[str]]] = {
    "annotators": annotators,
    "beside": beside,
    "flood": flood,
    "growth": growth,
    "sqlite": sqlite,
}

if __name__ == "__main__":
    # A plain `kill` stops the whole site, just as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()
