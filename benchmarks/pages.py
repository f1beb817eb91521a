"""Every page of results on PostgreSQL, on the demo and on a campaign of a million ratings.

    python -m benchmarks.pages [--ratings 1000000] [--only large]

An organiser opens each page several times; printed are the median and the least time, the number of
queries and the size. The goals are 200 ms on the demo and 500 ms on the large campaign; exit code 1
where a page misses its goal.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.large_campaign import large_campaign
from tests.access.matrix import CHANGE, IMPORT, LOOK, MEMBER, ROWS, UPLOAD
from tests.services import postgres, redis

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from hits.models import Campaign

GOALS_MS = {"demo": 200, "large": 500}
REPEATS = 7
# Pages like any other, only with more behind them than without the choice.
CHOICES = {
    "analysis:caption-list": ["?q=people&sort=-disagreement"],
    "analysis:annotator-list": ["?show=failed&sort=-p", "?show=commented"],
    "analysis:ranking": ["?adjust=holm"],
    "crowds:review": ["?show=open"],
}


@dataclass(frozen=True)
class Measured:
    """One page, opened several times."""

    name: str
    ms: float
    least_ms: float
    queries: int
    kilobytes: float


def pages(campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Name and address of everything a member opens; downloads are not pages."""
    from django.urls import reverse

    known = things(campaign)
    for name, row in ROWS.items():
        is_page = row.methods.get("GET") in (LOOK, CHANGE, MEMBER, IMPORT, UPLOAD)
        if not is_page or "file" in name or "poster" in name:
            continue
        if not known.keys() >= set(row.args):
            print(f"  not measured: {name}")
            continue
        address = reverse(name, args=[known[arg] for arg in row.args])
        for query in [row.query, *CHOICES.get(name, [])]:
            yield name + query, address + query


def things(campaign: Campaign) -> dict[str, object]:
    """What stands in addresses."""
    from hits.models import Caption, Hit, Upload

    ranked = Caption.objects.filter(system__campaign=campaign).exclude(system__role="reference")
    imported = {"filename": "a.zip", "stage": "import", "status": "done"}
    upload, _ = Upload.objects.get_or_create(owner=campaign.owner, **imported)
    found = {
        "slug": campaign.slug,
        "hit": Hit.objects.filter(batch__campaign=campaign, assignments__isnull=False)[0].pk,
        "video": campaign.videos.all()[0].pk,
        "caption": ranked[0].pk,
        "pseudonym": campaign.ratings.all()[0].annotator.pseudonym,
        "upload": upload.pk,
    }
    unlaunched = campaign.batches.filter(launch=None).first()
    return found | ({"batch_number": unlaunched.number} if unlaunched else {})


def measure(client: Client, name: str, address: str) -> Measured | None:
    """None for a page that only sends on, as some do once a campaign is live."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        response = client.get(address)
        queries = len(captured)  # the next request begins a new count
    if response.status_code == 302:
        print(f"  not measured: {name}")
        return None
    if response.status_code != 200:
        raise RuntimeError(f"{address} answered {response.status_code}")
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        size = len(b"".join(client.get(address)))
        times.append(time.perf_counter() - begun)
    median, least = 1000 * statistics.median(times), 1000 * min(times)
    return Measured(name, median, least, queries, size / 1024)


def show(title: str, goal: int, measured: list[Measured]) -> list[str]:
    """The table; gives the names of the pages that miss the goal."""
    print(f"\n{title}: goal {goal} ms")
    print(f"{'page':52} {'median':>8} {'least':>8} {'queries':>8} {'size':>9}")
    for page in measured:
        mark = "  MISSED" if page.ms > goal else ""
        print(
            f"{page.name:52} {page.ms:5.0f} ms {page.least_ms:5.0f} ms {page.queries:8} "
            f"{page.kilobytes:6.0f} kB{mark}"
        )
    return [page.name for page in measured if page.ms > goal]


def demo_campaign() -> Campaign:
    """The demo's rated campaign as `make demo` leaves it, with its result and its metrics."""
    from django.core.management import call_command
    from django.test import override_settings

    from benchmarks.large_campaign import analyse
    from hits.models import Campaign
    from rehearsal.demo.plans import RATED

    with override_settings(DEBUG=True):
        call_command("demo_campaign")
    call_command("demo_crowd")
    call_command("score_demo", now=True)
    campaign = Campaign.objects.get(slug=RATED.slug)
    analyse(campaign)
    return campaign


def client_of(owner: User) -> Client:
    from django.test import Client

    client = Client(headers={"host": "localhost"})
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    return client


@contextmanager
def site() -> Iterator[None]:
    """The platform on servers of its own, with nothing in it."""
    with postgres() as database, redis() as queue, tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "DATABASE_URL": database,
            "REDIS_URL": queue,
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "LOG_LEVEL": "ERROR",
            # No marketplace is asked by any page; it only has to be configured.
            "MTURK_ENDPOINT_URL": "http://127.0.0.1:9",
            "MTURK_ACCESS_KEY_ID": "benchmark",
            "MTURK_SECRET_ACCESS_KEY": "benchmark",
        }
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        yield


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, default=1_000_000)
    parser.add_argument("--only", choices=GOALS_MS)
    options = parser.parse_args()
    with site():
        from tests.factories import make_user

        make = {
            "demo": demo_campaign,
            "large": lambda: large_campaign(make_user("organisers"), options.ratings),
        }
        missed = []
        for title in [options.only] if options.only else make:
            begun = time.perf_counter()
            campaign = make[title]()
            print(f"{title}: {campaign.ratings.count():,} ratings, made in", end=" ")
            print(f"{time.perf_counter() - begun:.0f} s", flush=True)
            client = client_of(campaign.owner)
            measured = [measure(client, *page) for page in pages(campaign)]
            missed += show(title, GOALS_MS[title], [page for page in measured if page])
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
