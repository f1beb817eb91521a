"""Saving 1.43 M HIT items on PostgreSQL: COPY against Django's bulk_create, in one run."""

from __future__ import annotations

import argparse
import itertools
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tests.services import postgres

if TYPE_CHECKING:
    from hits.models import Campaign, Hit

HITS = 14_286
SIZE = 100
KINDS = ["system"] * 70 + ["reference"] * 10 + ["degraded"] * 10 + ["repeat"] * 10
BACK = {"degraded": 10, "repeat": 90}  # positions from a copy to its original
DEGRADED = "A man in a green hat walks a small dog along the river"


def prepare(hits: int) -> tuple[list[Hit], list[int]]:
    """A campaign with one caption per HIT position and the empty HITs to fill."""
    from hits.models import Caption
    from tests.factories import make_campaign

    campaign = make_campaign(videos=100, systems=1)
    captions = list(Caption.objects.values_list("pk", flat=True))
    return empty_batch(campaign, hits), captions


def empty_batch(campaign: Campaign, hits: int) -> list[Hit]:
    from hits.models import Batch, Hit

    number = Batch.objects.count() + 1
    batch = Batch.objects.create(
        campaign=campaign, number=number, seed=7, hit_size=SIZE, pairs=10, repeats=10,
        redundancy=1, merge_identical=False,
    )  # fmt: skip
    return Hit.objects.bulk_create(Hit(batch=batch, number=n + 1) for n in range(hits))


def items(hits: list[Hit], captions: list[int], first: int) -> Iterator[tuple[object, ...]]:
    """Rows of the shape composition makes: seven tenths system, a tenth of each other kind."""
    keys = itertools.count(first)
    for h, hit in enumerate(hits):
        for position, kind in enumerate(KINDS):
            key = next(keys)
            back = BACK.get(kind, 0)
            caption = captions[(h + position - back) % len(captions)]
            text, words = (DEGRADED, 4) if kind == "degraded" else ("", None)
            yield key, hit.pk, position, kind, caption, key - back if back else None, text, words


def timed(work: Callable[[], None]) -> float:
    from django.db import transaction

    begun = time.perf_counter()
    with transaction.atomic():
        work()
    return time.perf_counter() - begun


def measure(hits: int) -> None:
    from django.core.management import call_command

    from hits.bulk import ids_reserve, rows_write
    from hits.models import HitItem
    from hits.services.composing import ITEM_COLUMNS

    call_command("migrate", verbosity=0)
    filled, captions = prepare(hits)
    first = ids_reserve(HitItem, hits * SIZE).start
    ours = timed(lambda: rows_write(HitItem, ITEM_COLUMNS, items(filled, captions, first)))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    second = empty_batch(filled[0].batch.campaign, hits)
    start = ids_reserve(HitItem, hits * SIZE).start

    def yardstick() -> None:
        rows = (
            HitItem(**dict(zip(ITEM_COLUMNS, row, strict=True)))
            for row in items(second, captions, start)
        )
        HitItem.objects.bulk_create(rows, batch_size=1_000)

    theirs = timed(yardstick)
    if HitItem.objects.count() != 2 * hits * SIZE:
        sys.exit("rows are missing")
    print(f"saving {hits * SIZE:,} HIT items   COPY {ours:6.1f} s   bulk_create {theirs:6.1f} s")
    print(f"ratio {theirs / ours:.1f} ×   peak memory of COPY {memory:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hits", type=int, default=HITS)
    hits = parser.parse_args().hits
    with postgres(durable=True) as url:
        os.environ |= {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        import django

        django.setup()
        measure(hits)


if __name__ == "__main__":
    main()
