"""How far a live campaign is and how fast: counted anew every few seconds, so by index only."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Min, Q, QuerySet
from django.db.models.functions import TruncHour

from analysis.presenting.pace import DAY, HOUR, HOURS_SHOWN, Pace, hour_of
from annotations.models import Assignment, Rating
from crowds.selectors.counting import ratings_confirmed
from hits.models import Campaign, Hit

State = Assignment.State
HELD = Q(assignments__slot__isnull=False) & ~Q(assignments__state__in=Assignment.GIVEN_UP)
COUNTED = 50_000
"""Ratings looked at to tell the pace: a day's work of hundreds of people."""


@dataclass(frozen=True)
class Progress:
    """Turns that were not given up, by state, and the ratings given in them.

    A marketplace's people count once it has confirmed them.
    """

    hits: int
    hits_offered: int
    turns: int  # a HIT counts once for everybody who is asked to rate it
    turns_finished: int
    wanted: int  # ratings, by everybody who is asked
    rated: int
    working: int  # people, at this moment

    @property
    def hits_unoffered(self) -> int:
        return self.hits - self.hits_offered

    @property
    def turns_open(self) -> int:
        return self.turns - self.turns_finished - self.working

    @property
    def left(self) -> int:
        return self.wanted - self.rated

    @property
    def percent(self) -> int:
        """Rounded down: 100 is said of what is finished only."""
        return 100 * self.rated // self.wanted if self.wanted else 0


def campaign_progress(campaign: Campaign) -> Progress:
    """In three queries. Handed in, a HIT is rated wholly; of the others the ratings are counted."""
    turns = Assignment.objects.filter(campaign=campaign, slot__isnull=False)
    turns = turns.exclude(state__in=Assignment.GIVEN_UP)
    sizes = turns.order_by().values("state", size=F("hit__batch__hit_size"))
    rows = list(sizes.annotate(turns=Count("pk")))
    under_way = Rating.objects.filter(
        assignment__campaign=campaign,
        assignment__state=State.ACTIVE,
        assignment__slot__isnull=False,
        revision=1,
    )
    done = [row for row in rows if row["state"] in Assignment.FINISHED]
    return Progress(
        **_hit_counts(campaign),
        wanted=sum(row["turns"] * row["size"] for row in rows),
        rated=sum(row["turns"] * row["size"] for row in done) + under_way.count(),
        turns=sum(row["turns"] for row in rows),
        turns_finished=sum(row["turns"] for row in done),
        working=sum(row["turns"] for row in rows if row["state"] == State.ACTIVE),
    )


@dataclass(frozen=True)
class Completion:
    """How many assignments of a campaign, by its slug, or of a HIT, by its id, are done."""

    key: str | int
    wanted: int
    finished: int

    @property
    def percent(self) -> int:
        return 100 * self.finished // self.wanted


def campaigns_completion(campaigns: QuerySet[Campaign]) -> list[Completion]:
    """Of campaigns that are on offer, in one query."""
    turns = Assignment.objects.filter(campaign__in=campaigns.order_by().values("pk"))
    return _completion(turns, "campaign__slug")


def hits_completion(campaign: Campaign, hits: Collection[int]) -> list[Completion]:
    """Of a campaign's HITs that are on offer, in one query."""
    return _completion(Assignment.objects.filter(campaign=campaign, hit__in=hits), "hit")


def _completion(turns: QuerySet[Assignment], key: str) -> list[Completion]:
    held = turns.exclude(slot=None).exclude(state__in=Assignment.GIVEN_UP)
    held = held.order_by().values(key)
    counted = held.annotate(
        wanted=Count("pk"), finished=Count("pk", filter=Q(state__in=Assignment.FINISHED))
    )
    return [Completion(*row) for row in counted.values_list(key, "wanted", "finished")]


def _hit_counts(campaign: Campaign) -> dict[str, int]:
    hits = Hit.objects.filter(batch__campaign=campaign).annotate(
        held=Count("assignments", filter=HELD)
    )
    return hits.aggregate(hits=Count("pk"), hits_offered=Count("pk", filter=Q(held__gt=0)))


def campaign_arrivals(campaign: Campaign, *, now: datetime) -> tuple[Pace, dict[datetime, int]]:
    """How fast ratings come, and how many came in each clock hour of the last day that had any.

    Ids follow the order of arrival and are indexed by campaign, moments are not: the last `COUNTED`
    ratings are found by id, however many came before. A change of mind is no further rating.
    """
    ratings = ratings_confirmed(campaign)
    beyond = ratings.order_by("-pk").values_list("pk", "created_at")[COUNTED : COUNTED + 1]
    last, moment = beyond.first() or (0, now - DAY)
    recent = ratings.filter(pk__gt=last, revision=1)
    return _pace(recent, now, is_floor=moment > now - DAY), _by_hour(recent, now)


def _pace(recent: QuerySet[Rating], now: datetime, *, is_floor: bool) -> Pace:
    day = recent.filter(created_at__gt=now - DAY).aggregate(
        ratings=Count("pk"),
        last_hour=Count("pk", filter=Q(created_at__gt=now - HOUR)),
        first=Min("created_at"),
    )
    # In tenths: a number that changes with every look would make every look news.
    hours = max(1.0, round((now - day["first"]) / HOUR, 1)) if day["first"] else 0.0
    return Pace(day["last_hour"], day["ratings"], hours, is_floor)


def _by_hour(recent: QuerySet[Rating], now: datetime) -> dict[datetime, int]:
    since = hour_of(now) - (HOURS_SHOWN - 1) * HOUR
    hours = recent.filter(created_at__gte=since).order_by().values(hour=TruncHour("created_at"))
    return dict(hours.annotate(ratings=Count("pk")).values_list("hour", "ratings"))
