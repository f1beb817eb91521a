"""What the organiser's page about a campaign's crowd shows, in a fixed number of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import (
    Case,
    Count,
    IntegerField,
    Q,
    QuerySet,
    Value,
    When,
)

from annotations.models import Assignment
from crowds.gateway import CrowdError
from crowds.models import Launch, LedgerEntry, OutboxMessage, Publication, Submission
from crowds.registry import LABELS, connect, crowd_named
from crowds.selectors.money import sums_of
from crowds.selectors.offering import CENT, pay_warnings
from crowds.selectors.reviews import median_minutes
from hits.models import Campaign
from hits.planning import hourly_pay

Pay, Status = Submission.Pay, Submission.Status
SHORTEST_MINUTES = 1  # who is done sooner is a program, and earns nothing by the hour


@dataclass(frozen=True)
class LaunchRow:
    """A launch and how far it is."""

    launch: Launch
    label: str
    out: int  # publications the crowd shows
    publications: int
    refused: int  # publications the crowd would not have
    wanted: int  # people, over all HITs
    working: int
    unconfirmed: int  # at work or handed in, and not named by the crowd yet
    finished: int
    waiting: int  # for a decision
    problems: int
    paid: int
    hourly_expected: Decimal
    hourly: Decimal | None  # by the median time, once somebody has finished
    warnings: tuple[str, ...]

    @property
    def is_marketplace(self) -> bool:
        return crowd_named(self.launch.crowd).is_marketplace

    @property
    def percent(self) -> int:
        return min(100, round(100 * self.finished / self.wanted)) if self.wanted else 0


def launch_rows(campaign: Campaign) -> list[LaunchRow]:
    """Newest first."""
    launches = list(Launch.objects.filter(batch__campaign=campaign).select_related("batch"))
    minutes = median_minutes(campaign) if launches else None
    statuses = Counter(
        Publication.objects.filter(launch__in=launches).values_list("launch", "status")
    )
    turns = Counter(
        Assignment.objects.filter(hit__batch__launch__in=launches, slot__isnull=False).values_list(
            "hit__batch__launch", "state"
        )
    )
    strange = Assignment.objects.filter(slot=None, hit__batch__launch__in=launches)
    strange = strange.exclude(state__in=Assignment.GIVEN_UP)
    unconfirmed = Counter(strange.values_list("hit__batch__launch", flat=True))
    counts = {
        row["publication__launch"]: row
        for row in Submission.objects.filter(publication__launch__in=launches)
        .order_by()
        .values("publication__launch")
        .annotate(
            waiting=Count("pk", filter=Q(pay=Pay.OPEN, status=Status.SUBMITTED)),
            problems=Count("pk", filter=~Q(problem="")),
            paid=Count("pk", filter=Q(pay=Pay.PAY)),
        )
    }
    return [
        _launch_row(each, statuses, turns, unconfirmed[each.pk], counts.get(each.pk, {}), minutes)
        for each in launches
    ]


def _launch_row(
    launch: Launch,
    statuses: Counter[tuple[int, str]],
    turns: Counter[tuple[int, str]],
    unconfirmed: int,
    counts: Mapping[str, Any],
    minutes: float | None,
) -> LaunchRow:
    is_human = minutes is not None and minutes >= SHORTEST_MINUTES
    pace = Decimal(str(round(minutes, 4))) if minutes and is_human else None
    hourly = hourly_pay(launch.reward, pace) if pace else None
    is_live = launch.state == Launch.State.LIVE  # nothing of it was closed by anybody here
    given_up = sum(turns[launch.pk, state] for state in Assignment.GIVEN_UP)
    return LaunchRow(
        launch=launch,
        label=LABELS.get(launch.crowd, launch.crowd),
        out=statuses[launch.pk, Publication.Status.OPEN],
        refused=statuses[launch.pk, Publication.Status.CLOSED] if is_live else 0,
        publications=sum(n for (pk, _), n in statuses.items() if pk == launch.pk),
        wanted=sum(n for (pk, _), n in turns.items() if pk == launch.pk) - given_up,
        working=turns[launch.pk, Assignment.State.ACTIVE],
        unconfirmed=unconfirmed,
        finished=sum(turns[launch.pk, state] for state in Assignment.FINISHED),
        waiting=counts.get("waiting", 0),
        problems=counts.get("problems", 0),
        paid=counts.get("paid", 0),
        hourly_expected=hourly_pay(launch.reward, Decimal(launch.minutes_expected)),
        hourly=hourly,
        warnings=_warnings(launch, hourly),
    )


def _warnings(launch: Launch, hourly: Decimal | None) -> tuple[str, ...]:
    """What people really earn may be less than was expected."""
    try:
        return pay_warnings(hourly, connect(launch.crowd).facts) if hourly is not None else ()
    except CrowdError as error:  # the crowd's settings are gone: say so where it is looked at
        return (str(error),)


@dataclass(frozen=True)
class OpenWork:
    """Assignments of a launch that are not over, and what nobody would have to be paid any more."""

    open: int
    working: int
    unused: Decimal


def launch_open_work(launch: Launch) -> OpenWork:
    """In three queries. What an untaken place costs is its share of what was promised for all.

    Somebody at work whom the crowd has not named yet may have to be paid: a place is kept for them.
    """
    turns = Assignment.objects.filter(hit__batch=launch.batch_id).aggregate(
        untaken=Count("pk", filter=Q(state=Assignment.State.OPEN)),
        working=Count("pk", filter=Q(state=Assignment.State.ACTIVE)),
        strange=Count("pk", filter=Q(state=Assignment.State.ACTIVE, slot=None)),
    )
    untaken = max(0, turns["untaken"] - turns["strange"])
    publications = Publication.objects.filter(launch=launch)
    first = publications.order_by("pk").first()
    unused = Decimal("0.00")
    if first is not None:
        each = first.unit_reward + first.fee / first.priced_people
        promised = sums_of(LedgerEntry.objects.filter(publication__in=publications)).outstanding
        unused = min((each * untaken).quantize(CENT), promised)
    return OpenWork(untaken, turns["working"], unused)


def outbox_shown(campaign: Campaign, *, limit: int = 20) -> QuerySet[OutboxMessage]:
    """What needs a person first, then what is under way, then what was done last."""
    urgency = Case(
        When(state=OutboxMessage.State.ASKING, then=Value(0)),
        When(state=OutboxMessage.State.FAILED, then=Value(1)),
        When(
            state__in=[
                OutboxMessage.State.UNCLEAR,
                OutboxMessage.State.CLAIMED,
                OutboxMessage.State.WAITING,
            ],
            then=Value(2),
        ),
        default=Value(3),
        output_field=IntegerField(),
    )
    return campaign.messages.annotate(urgency=urgency).order_by("urgency", "-pk")[:limit]


def outbox_counts(campaign: Campaign) -> list[tuple[str, int]]:
    """How many messages are in each state, in the order of the states."""
    counts = Counter(campaign.messages.values_list("state", flat=True))
    return [(state.label, counts[state]) for state in OutboxMessage.State if counts[state]]
