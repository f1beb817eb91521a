"""Asking somebody else where ratings had to be left out, until each HIT has its number of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Max, Sum

from annotations.models import Assignment
from annotations.selectors.offering import Portion, offer_of
from annotations.selectors.reviews import shortfalls
from annotations.services.launches import hit_of, postings_write, standing_wishes
from daplatform.errors import DomainError
from hits.crowds import connect
from hits.crowds.gateway import Extension, Gateway
from hits.crowds.gateway import Place as Offered
from hits.crowds.offers import extensions_pack
from hits.models import Act, AuditEntry, Launch, Place, Posting
from hits.selectors.money import policy_of
from hits.services.money import campaign_lock, money_left, posting_commit, price_more
from hits.services.outbox import act_write

# A HIT that so many times its people have rated in vain is not the people's fault.
MOST_TIMES = 3


@dataclass(frozen=True)
class TopUp:
    """What was asked for again, and what the budget or good sense did not allow."""

    people: int
    hits: int
    lacking: int
    obstacle: str = ""


@transaction.atomic
def launch_top_up(*, launch: Launch, by: User | None = None) -> TopUp:
    """Offer HITs again whose ratings fell out, within the budget. Doing it twice asks once."""
    campaign = campaign_lock(launch.batch.campaign)
    launch.refresh_from_db()
    if launch.state != Launch.State.LIVE:
        raise DomainError("Only a live launch can be topped up.")
    gateway = connect(launch.crowd)
    lacking = shortfalls(launch)
    wanted = _sensible(launch, lacking)
    asked = _affordable(launch, wanted)
    _ask_again(launch, asked, gateway, by)
    people = sum(asked.values())
    obstacle = ""
    if people < sum(wanted.values()):
        obstacle = "The budget does not reach for everybody who is needed."
    elif len(wanted) < len(lacking):
        obstacle = f"Some HITs were rated in vain {MOST_TIMES} times over. Look at them first."
    if people:
        AuditEntry.objects.create(
            campaign=campaign,
            person=by,
            action="topped up",
            detail=f"people {people}, HITs {len(asked)}, batch {launch.batch.number}",
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
        raise DomainError("Say how many more people, or how many days.")
    if people:
        hits = launch.batch.hits.order_by("number").values_list("pk", flat=True)
        _ask_again(launch, dict.fromkeys(hits, people), connect(launch.crowd), by)
        launch.people += people
    if days:
        launch.lifetime_days = days
        postings = launch.postings.exclude(standing=Posting.Standing.CLOSED)
        standing_wishes(postings, [Act.Kind.REOPEN], by, days=days)
    launch.save(update_fields=["people", "lifetime_days"])
    parts = [f"{people} more per HIT"] * bool(people) + [f"open for {days} days"] * bool(days)
    AuditEntry.objects.create(
        campaign=campaign,
        person=by,
        action="extended",
        detail=f"batch {launch.batch.number}: {', '.join(parts)}",
    )


def _sensible(launch: Launch, lacking: Mapping[int, int]) -> dict[int, int]:
    """Without HITs that had their chances. Work that was given back is none."""
    rated = Assignment.objects.filter(hit__in=lacking).exclude(state__in=Assignment.GIVEN_UP)
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
    each = price_more(launch.postings.order_by("pk")[0], 1).total
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
    roomy, full = _rooms(launch, wanted, gateway)
    for posting, places in roomy.items():
        _extend(posting, places, wanted, by)
    for hit in full:
        _post_again(launch, hit, wanted[hit], gateway)


def _rooms(
    launch: Launch, wanted: Mapping[int, int], gateway: Gateway
) -> tuple[dict[Posting, list[Place]], list[int]]:
    """Publications that can take more people, with their HITs; and HITs that need a new one."""
    most = gateway.facts.people_per_place
    roomy: dict[Posting, list[Place]] = {}
    found = set()
    places = Place.objects.filter(posting__launch=launch, hit__in=wanted)
    places = places.exclude(posting__standing=Posting.Standing.CLOSED)
    for place in places.select_related("posting__launch__batch__campaign").order_by("-pk"):
        fits = most is None or place.people + wanted[place.hit_id] <= most
        if fits and place.hit_id not in found:
            found.add(place.hit_id)
            roomy.setdefault(place.posting, []).append(place)
    return roomy, [hit for hit in wanted if hit not in found]


def _extend(
    posting: Posting, places: list[Place], wanted: Mapping[int, int], by: User | None
) -> None:
    times = Act.objects.filter(posting=posting, kind=Act.Kind.EXTEND).count()
    subject = f"{posting.reference}:more:{times + 1}"
    more = sum(wanted[place.hit_id] for place in places)
    price = price_more(posting, more)
    posting_commit(posting=posting, price=price, people=more, subject=subject)
    extensions = []
    for place in places:
        place.people += wanted[place.hit_id]
        place.save(update_fields=["people"])
        offered = Offered(place.reference, place.url, place.people)
        extensions.append(Extension(offered, wanted[place.hit_id]))
        slots_add(posting.launch, place.hit_id, wanted[place.hit_id])
    act_write(
        campaign=posting.launch.batch.campaign,
        crowd=posting.launch.crowd,
        kind=Act.Kind.EXTEND,
        subject=subject,
        payload={
            "extensions": extensions_pack(extensions),
            "people": posting.places.aggregate(total=Sum("people"))["total"],
            "reward": str(price.reward),
            "fee": str(price.fee),
        },
        posting=posting,
        by=by,
    )


def _post_again(launch: Launch, hit: int, people: int, gateway: Gateway) -> None:
    """A new publication, priced as the launch's first one was."""
    first = launch.postings.order_by("pk")[0]
    number = launch.postings.count() + 1
    policy = policy_of(launch.batch.campaign)
    offer = offer_of(launch, Portion((hit,), people), gateway, number=number, policy=policy)
    postings_write(launch=launch, offers=[offer], prices=[price_more(first, people)])
    slots_add(launch, hit_of(offer.places[0].reference), people)


def slots_add(launch: Launch, hit: int, people: int) -> None:
    """Let so many more people work on a HIT."""
    last = Assignment.objects.filter(hit=hit).aggregate(last=Max("slot"))["last"] or 0
    Assignment.objects.bulk_create(
        Assignment(campaign_id=launch.batch.campaign_id, hit_id=hit, slot=last + number)
        for number in range(1, people + 1)
    )
