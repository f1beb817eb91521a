"""Asking somebody else where ratings had to be left out, until each HIT has its number of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, F, Max, Sum

from annotations.models import Assignment
from annotations.services.assignments import slots_write
from crowds.gateway import Extension, Gateway, HitSpec
from crowds.models import AuditEntry, Launch, OutboxMessage, Publication, PublishedHit
from crowds.registry import connect
from crowds.selectors.offering import chunks_of, specs_cut
from crowds.selectors.reviews import shortfalls
from crowds.services.launches import OutboxDraft, drafts_write, publications_write, status_drafts
from crowds.services.money import (
    Promise,
    campaign_lock,
    money_left,
    price_more,
    publications_commit_more,
)
from crowds.services.reviews import submissions_approve_due
from crowds.specs import extensions_pack
from daplatform.errors import DomainError
from daplatform.wording import counted

# A HIT that so many times its people have rated in vain is not the people's fault.
MOST_TIMES = 3


@dataclass(frozen=True)
class TopUp:
    """What was asked for again, and what the budget or good sense did not allow."""

    people: int
    hits: int
    lacking: int
    obstacle: str = ""


class Capacity(NamedTuple):
    """A place that can take more people, and what its publication was priced at."""

    pk: int
    hit_id: int
    people: int
    url: str
    publication_id: int
    reference: str
    unit_reward: Decimal
    fee: Decimal
    priced_people: int


@transaction.atomic
def launch_top_up(*, launch: Launch, by: User | None = None) -> TopUp:
    """Offer HITs again whose ratings fell out, within the budget. Doing it twice asks once."""
    campaign = campaign_lock(launch.batch.campaign)
    launch.refresh_from_db()
    if launch.state != Launch.State.LIVE:
        raise DomainError("Only a live launch can be topped up.")
    gateway = connect(launch.crowd, hurried=True)
    lacking = shortfalls(launch)
    wanted = _sensible(launch, lacking)
    asked = _affordable(launch, wanted)
    left = money_left(campaign)
    _ask_again(launch, asked, gateway, by)
    people = sum(asked.values())
    obstacle = ""
    if people < sum(wanted.values()):
        obstacle = "The budget does not cover all the people needed."
    elif len(wanted) < len(lacking):
        obstacle = (
            f"Some HITs were offered {MOST_TIMES} times, and the ratings were left out each time. "
            "Check those first."
        )
    elif not people:
        obstacle = _waiting_sentence(launch)
    if people:
        AuditEntry.objects.create(
            campaign=campaign,
            person=by,
            action="topped up",
            detail=f"batch {launch.batch.number}: {counted(people, 'more person', 'more people')} "
            f"for {counted(len(asked), 'HIT', 'HITs')}, "
            f"{left - money_left(campaign):,.2f} {launch.currency}",
        )
    return TopUp(people, len(asked), sum(lacking.values()) - people, obstacle)


@transaction.atomic
def launch_extend(*, launch: Launch, by: User, people: int = 0, days: int = 0) -> None:
    """Ask so many more people about every HIT, within the budget, and stay open for so many days.

    Days count from now. What is asked of everybody counts for later top-ups too.
    """
    campaign = campaign_lock(launch.batch.campaign)
    launch.refresh_from_db()
    if launch.state != Launch.State.LIVE:
        raise DomainError("Only a live launch can be extended.")
    if not people and not days:
        raise DomainError("Enter how many more people, or how many days.")
    if people:
        hits = launch.batch.hits.order_by("number").values_list("pk", flat=True)
        _ask_again(launch, dict.fromkeys(hits, people), connect(launch.crowd, hurried=True), by)
        launch.people += people
    if days:
        launch.lifetime_days = days
        status_drafts(launch, [OutboxMessage.Kind.REOPEN], by, days=days)
    launch.save(update_fields=["people", "lifetime_days"])
    parts = [f"{people} more per HIT"] * bool(people) + [f"open for {days} days"] * bool(days)
    AuditEntry.objects.create(
        campaign=campaign,
        person=by,
        action="extended",
        detail=f"batch {launch.batch.number}: {', '.join(parts)}",
    )


def _waiting_sentence(launch: Launch) -> str:
    """What is lacking although nobody new has to be asked; empty where nothing is."""
    turns = Assignment.objects.filter(hit__batch=launch.batch_id)
    waiting = turns.filter(state=Assignment.State.OPEN).count()
    strange = turns.filter(slot=None).exclude(state__in=Assignment.GIVEN_UP).count()
    if not waiting:
        return ""
    sentence = f"{counted(waiting, 'place waits', 'places wait')} to be taken, and the crowd "
    sentence += "already offers them: nobody else has to be asked."
    if strange:
        turns_are = counted(strange, "assignment is", "assignments are")
        sentence += f" {turns_are} not confirmed by the marketplace: such work takes up no place."
    return sentence


def _sensible(launch: Launch, lacking: Mapping[int, int]) -> dict[int, int]:
    """Without HITs that had their chances. Work that was given back is none."""
    rated = Assignment.objects.filter(hit__in=lacking, slot__isnull=False)
    rated = rated.exclude(state__in=Assignment.GIVEN_UP)
    counts = rated.values("hit").annotate(n=Count("pk"))
    turns = {row["hit"]: row["n"] for row in counts.order_by()}
    most = MOST_TIMES * launch.people
    return {
        hit: more
        for hit, more in lacking.items()
        if turns.get(hit, 0) + more <= launch.people + most
    }


def _affordable(launch: Launch, wanted: Mapping[int, int]) -> dict[int, int]:
    """As many of the wanted people as the budget allows, in the order of the HITs."""
    each = price_more(launch.publications.order_by("pk")[0], 1).total
    left = money_left(launch.batch.campaign)
    people = int(left // each) if each else sum(wanted.values())
    affordable = {}
    for hit, more in wanted.items():
        affordable[hit] = min(more, people)
        people -= affordable[hit]
    return {hit: more for hit, more in affordable.items() if more > 0}


def _ask_again(
    launch: Launch, wanted: Mapping[int, int], gateway: Gateway, by: User | None
) -> None:
    """So many more people for each HIT, in a number of statements that no HIT adds to."""
    if not wanted:
        return
    growing = _capacities(launch, wanted, gateway)
    _extend(launch, growing, wanted, by)
    found = {capacity.hit_id for capacity in growing}
    _post_again(launch, {hit: wanted[hit] for hit in wanted if hit not in found}, gateway)
    slots_add(launch, wanted)


def _capacities(launch: Launch, wanted: Mapping[int, int], gateway: Gateway) -> list[Capacity]:
    """The latest place of each HIT that can take more people. Some HITs have none."""
    most = gateway.facts.people_per_hit
    places = PublishedHit.objects.filter(publication__launch=launch)
    places = places.exclude(publication__status=Publication.Status.CLOSED).order_by("-pk")
    of_publication = ("reference", "unit_reward", "fee", "priced_people")
    columns = (
        *Capacity._fields[: -len(of_publication)],
        *(f"publication__{name}" for name in of_publication),
    )
    growing: dict[int, Capacity] = {}
    for capacity in map(Capacity._make, places.values_list(*columns)):
        more = wanted.get(capacity.hit_id, 0)
        if more and (most is None or capacity.people + more <= most):
            growing.setdefault(capacity.hit_id, capacity)
    return list(growing.values())


def _extend(
    launch: Launch, capacities: Sequence[Capacity], wanted: Mapping[int, int], by: User | None
) -> None:
    """Let places take more people: a promise and a message for each publication."""
    together: dict[int, list[Capacity]] = defaultdict(list)
    for capacity in capacities:
        together[capacity.publication_id].append(capacity)
    messages = OutboxMessage.objects.filter(
        publication__launch=launch, kind=OutboxMessage.Kind.EXTEND
    )
    times = Counter(messages.values_list("publication", flat=True))
    promises = [
        _promise(grown, wanted, times[publication] + 1) for publication, grown in together.items()
    ]
    publications_commit_more(campaign=launch.batch.campaign, promises=promises)
    _places_grow(capacities, wanted)
    rows = PublishedHit.objects.filter(publication__launch=launch).order_by()
    people = dict(rows.values_list("publication").annotate(Sum("people")))
    drafts = (
        OutboxDraft(
            OutboxMessage.Kind.EXTEND,
            each.publication,
            {
                "extensions": extensions_pack(_extensions(together[each.publication], wanted)),
                "people": people[each.publication],
                "reward": str(each.price.reward),
                "fee": str(each.price.fee),
            },
            each.occasion,
        )
        for each in promises
    )
    drafts_write(launch, drafts, by)


def _promise(capacities: Sequence[Capacity], wanted: Mapping[int, int], time: int) -> Promise:
    """What more people for places of one publication cost, the so-manieth time."""
    publication, more = capacities[0], sum(wanted[capacity.hit_id] for capacity in capacities)
    return Promise(publication.publication_id, more, price_more(publication, more), str(time))


def _places_grow(capacities: Iterable[Capacity], wanted: Mapping[int, int]) -> None:
    alike: dict[int, list[int]] = defaultdict(list)
    for capacity in capacities:
        alike[wanted[capacity.hit_id]].append(capacity.pk)
    for more, rows in alike.items():
        PublishedHit.objects.filter(pk__in=rows).update(people=F("people") + more)


def _extensions(capacities: Iterable[Capacity], wanted: Mapping[int, int]) -> list[Extension]:
    """What the crowd is told of places that grow."""
    return [
        Extension(HitSpec(f"hit-{capacity.hit_id}", capacity.url, capacity.people + more), more)
        for capacity in capacities
        for more in [wanted[capacity.hit_id]]
    ]


def _post_again(launch: Launch, wanted: Mapping[int, int], gateway: Gateway) -> None:
    """New publications, priced as the launch's first one was."""
    first = launch.publications.order_by("pk")[0]
    chunks = [
        chunk for hit, people in wanted.items() for chunk in chunks_of([hit], people, gateway.facts)
    ]
    specs = specs_cut(launch, chunks, gateway, first=launch.publications.count() + 1)
    prices = [price_more(first, chunk.people) for chunk in chunks]
    publications_write(launch=launch, specs=specs, prices=prices)


def slots_add(launch: Launch, wanted: Mapping[int, int]) -> None:
    """Let so many more people work on each HIT."""
    turns = Assignment.objects.filter(hit__batch=launch.batch_id).order_by()
    last = dict(turns.values_list("hit").annotate(Max("slot")))
    slots = (
        (hit, last.get(hit, 0) + number)
        for hit, people in wanted.items()
        for number in range(1, people + 1)
    )
    slots_write(launch.batch.campaign_id, slots)


def launch_tend(*, launch: Launch) -> None:
    """Pay what is due, and ask somebody else where ratings had to be left out."""
    submissions_approve_due(campaign=launch.batch.campaign)
    launch.refresh_from_db()
    if launch.tops_up and launch.state == Launch.State.LIVE:
        launch_top_up(launch=launch)
