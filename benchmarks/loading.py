"""Loading 1 M ratings: Django's values_list, COPY from PostgreSQL, and the snapshot, in one run."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.services import postgres

if TYPE_CHECKING:
    from annotations.models import Assignment
    from hits.models import Campaign

PER_HIT = 100


def fill(ratings: int) -> Campaign:
    """A campaign with that many ratings, a HIT of a hundred for each hundred of them."""
    from django.db import transaction

    from annotations.models import Rating
    from hits.bulk import rows_write
    from tests.factories import make_campaign

    campaign = make_campaign(videos=500, systems=18)
    assignments = make_assignments(campaign, ratings // PER_HIT)
    columns, rows = rating_rows(campaign, assignments)
    with transaction.atomic():
        rows_write(Rating, columns, rows)
    return campaign


def make_assignments(campaign: Campaign, count: int) -> list[Assignment]:
    from django.utils import timezone

    from annotations.models import Annotator, Assignment
    from hits.models import Batch, Hit

    batch = Batch.objects.create(
        campaign=campaign, number=1, seed=7, hit_size=PER_HIT, pairs=10, repeats=10, redundancy=1,
        merge_identical=False,
    )  # fmt: skip
    people = Annotator.objects.bulk_create(
        Annotator(pseudonym=f"p{number}") for number in range(count // 5 + 1)
    )
    hits = Hit.objects.bulk_create(Hit(batch=batch, number=number) for number in range(count))
    now = timezone.now()
    return Assignment.objects.bulk_create(
        Assignment(
            campaign=campaign, hit=hit, annotator=people[number // 5], slot=1, state="submitted",
            claimed_at=now, expires_at=now, submitted_at=now,
        )
        for number, hit in enumerate(hits)
    )  # fmt: skip


def rating_rows(
    campaign: Campaign, assignments: list[Assignment]
) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """Rows that differ where it matters to loading; every item is the first, which nobody reads."""
    import uuid

    from django.utils import timezone

    from hits.models import Caption, HitItem

    captions = list(Caption.objects.values_list("pk", flat=True))
    item = HitItem.objects.create(
        hit=assignments[0].hit, position=0, kind="system", caption_id=captions[0]
    )
    now = timezone.now()
    fixed = {
        "fluency": None, "served_at": now, "created_at": now, "is_unwatched": False,
        "client_elapsed_ms": 1, "client_first_touch_ms": 1, "client_last_touch_ms": 1,
        "client_moves": 1, "client_plays": 1, "client_watched_ms": 1, "client_hidden_ms": 0,
    }  # fmt: skip
    columns = [
        "campaign_id", "assignment_id", "item_id", "annotator_id", "caption_id", "kind",
        "original_id", "position", "revision", "key", "score", *fixed,
    ]  # fmt: skip
    rng = np.random.default_rng(7)
    rows = (
        (
            *(campaign.pk, turn.pk, item.pk, turn.annotator_id),
            *(captions[(n * PER_HIT + p) % len(captions)], "system", None, p, 1),
            *(uuid.UUID(int=n * PER_HIT + p), int(score), *fixed.values()),
        )
        for n, turn in enumerate(assignments)
        for p, score in enumerate(rng.integers(0, 101, PER_HIT))
    )
    return columns, rows


def best(work: Callable[[], int], times: int, expected: int) -> float:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        if work() != expected:
            sys.exit("rows are missing")
        taken.append(time.perf_counter() - begun)
    return min(taken)


def measure(ratings: int, folder: Path) -> None:
    from django.core.management import call_command

    from analysis.results.snapshot import Snapshot
    from analysis.services.snapshots import ratings_fetch
    from annotations.models import Rating

    call_command("migrate", verbosity=0)
    campaign = fill(ratings)
    names = [
        "annotator_id",
        "assignment_id",
        "caption_id",
        "kind",
        "score",
        "created_at",
        "served_at",
    ]

    def through_orm() -> int:
        return len(list(Rating.objects.filter(campaign=campaign).values_list(*names)))

    snapshot = Snapshot(folder)
    snapshot.append(ratings_fetch(campaign, after=0))
    orm = best(through_orm, 2, ratings)
    copy = best(lambda: len(ratings_fetch(campaign, after=0)["score"]), 3, ratings)
    disk = best(
        lambda: int(sum(len(column) for column in snapshot.read().values()) / 14), 3, ratings
    )
    print(f"loading {ratings:,} ratings   values_list {orm:.2f} s")
    print(f"COPY      {copy:.3f} s   ratio {orm / copy:.1f} ×")
    print(f"snapshot  {disk:.3f} s   ratio {orm / disk:.0f} ×")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, default=1_000_000)
    ratings = parser.parse_args().ratings
    with postgres() as url, tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        import django

        django.setup()
        measure(ratings, Path(folder) / "snapshot")


if __name__ == "__main__":
    main()
