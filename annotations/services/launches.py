"""Launching a batch at a crowd, pausing it, opening it again and closing it.

Prices are asked for and offers checked before the transaction: no call is ever made inside one.
What is sent is only written down here; `hits.services.outbox` sends it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from annotations.models import Assignment, Submission
from annotations.selectors.offering import (
    Choices,
    launch_draft,
    offers_cut,
    portions_whole,
    prices_of,
)
from annotations.services.annotators import INVITED
from annotations.services.assignments import assignments_open_for
from daplatform.errors import DomainError
from daplatform.wording import counted
from hits.bulk import rows_write
from hits.crowds import LABELS, connect
from hits.crowds.gateway import Gateway, Offer, PermanentFault, Price
from hits.crowds.offers import offer_pack
from hits.models import Act, AuditEntry, Batch, Campaign, Launch, Place, Policy, Posting
from hits.models.outbox import new_key
from hits.selectors.money import policy_of
from hits.services.money import campaign_lock, postings_commit, postings_recommit
from hits.services.restoring import restore_recognise

Standing = Posting.Standing


class Wish(NamedTuple):
    """What a crowd is to be told about a posting."""

    kind: Act.Kind
    subject: str
    posting: int
    payload: dict[str, Any]


@transaction.atomic
def policy_update(*, campaign: Campaign, by: User, **settings: Any) -> Policy:
    """Change a campaign's budget or its rules. What is committed already stays committed."""
    campaign_lock(campaign)
    policy = policy_of(campaign)
    changed = [name for name, value in settings.items() if getattr(policy, name) != value]
    for name, value in settings.items():
        setattr(policy, name, value)
    try:
        policy.full_clean()
    except ValidationError as error:
        raise DomainError(" ".join(error.messages)) from None
    policy.save()
    if changed:
        detail = ", ".join(f"{name.replace('_', ' ')} {getattr(policy, name)}" for name in changed)
        AuditEntry.objects.create(
            campaign=campaign, person=by, action="changed the rules", detail=detail
        )
    return policy


def batch_launch(
    *, batch: Batch, choices: Choices, by: User, budget: Decimal | None = None
) -> Launch:
    """Offer a batch to a crowd, within the campaign's budget. The caller wakes a worker.

    A new ``budget`` is the campaign's from then on, unless the launch is refused.
    """
    gateway = connect(choices.crowd)
    _refuse_odd_batch(batch, choices.crowd)
    launch = launch_draft(batch, choices, gateway.facts)
    launch.launched_by = by
    offers = offers_cut(launch, portions_whole(launch, gateway.facts), gateway)
    if not offers:
        raise DomainError("This batch has no HITs.")
    check_offers(offers, gateway)
    prices = prices_of(offers, gateway)
    check_balance(sum((price.total for price in prices), Decimal()), gateway)
    restore_recognise()
    return _launch_write(launch, offers, prices, budget)


def check_offers(offers: Sequence[Offer], gateway: Gateway) -> None:
    """One of each shape is enough: they differ in their HITs only."""
    shapes = {tuple(place.people for place in offer.places): offer for offer in offers}
    for offer in shapes.values():
        gateway.check(offer)


def check_balance(needed: Decimal, gateway: Gateway) -> None:
    """A balance may cover each of the offers, and not all of them."""
    facts, available = gateway.facts, gateway.balance()
    if available is not None and needed > available:
        raise PermanentFault(
            f"This costs {needed:,.2f} {facts.currency}, and the account at {facts.label} holds "
            f"{available:,.2f}."
        )


@transaction.atomic
def _launch_write(
    launch: Launch, offers: Sequence[Offer], prices: Sequence[Price], budget: Decimal | None
) -> Launch:
    campaign = campaign_lock(launch.batch.campaign)
    if budget is not None:
        policy_update(campaign=campaign, by=launch.launched_by, budget=budget)
    _refuse_second_launch(launch)
    try:
        launch.full_clean()
    except ValidationError as error:
        raise DomainError(" ".join(error.messages)) from None
    launch.save()
    assignments_open_for(batch=launch.batch)
    postings_write(launch=launch, offers=offers, prices=prices)
    total = sum((price.total for price in prices), Decimal())
    AuditEntry.objects.create(
        campaign=campaign,
        person=launch.launched_by,
        action="launched",
        detail=f"{_where(launch)} for {total:,.2f} {launch.currency}",
    )
    return launch


@transaction.atomic
def postings_write(*, launch: Launch, offers: Sequence[Offer], prices: Sequence[Price]) -> None:
    """Write down publications with their places, commit their price, and want them published.

    A fixed number of statements and no objects: a launch may have ten thousand HITs.
    """
    _postings_insert(launch, offers, prices)
    known = dict(launch.postings.values_list("reference", "pk"))
    keys = [known[offer.reference] for offer in offers]
    rows_write(
        Place,
        ["posting_id", "hit_id", "people", "url"],
        (
            (key, hit_of(place.reference), place.people, place.url)
            for key, offer in zip(keys, offers, strict=True)
            for place in offer.places
        ),
        held=False,
    )
    postings_commit(
        campaign=launch.batch.campaign,
        promises=[(key, price.total) for key, price in zip(keys, prices, strict=True)],
    )
    wishes = (
        Wish(Act.Kind.PUBLISH, offer.reference, key, {"offer": offer_pack(offer)})
        for key, offer in zip(keys, offers, strict=True)
    )
    wishes_write(launch, wishes, launch.launched_by)


def _postings_insert(launch: Launch, offers: Sequence[Offer], prices: Sequence[Price]) -> None:
    shared = {
        "launch_id": launch.pk,
        "standing": Standing.WAITING,
        "address": "",
        "created_at": timezone.now(),
    }
    rows_write(
        Posting,
        ["reference", "unit_reward", "fee", "priced_people", *shared],
        (
            (offer.reference, offer.reward, price.fee, offer.people, *shared.values())
            for offer, price in zip(offers, prices, strict=True)
        ),
        held=False,
    )


def wishes_write(launch: Launch, wishes: Iterable[Wish], by: User | None) -> None:
    """Acts for the outbox, each of them new."""
    now = timezone.now()
    shared: dict[str, Any] = {
        "campaign_id": launch.batch.campaign_id,
        "crowd": launch.crowd,
        "asked_by_id": by and by.pk,
        "state": Act.State.WAITING,
        "attempts": 0,
        "error": "",
        "next_try_at": now,
        "created_at": now,
    }
    rows_write(
        Act,
        ["kind", "subject", "posting_id", "payload", "key", *shared],
        ((*wish, new_key(), *shared.values()) for wish in wishes),
        held=False,
    )


def hit_of(reference: str) -> int:
    """The HIT a place's reference names."""
    return int(reference.removeprefix("hit-"))


def _refuse_odd_batch(batch: Batch, crowd: str) -> None:
    if batch.state != Batch.State.COMPOSED:
        raise DomainError("This batch has no HITs yet.")
    if Launch.objects.filter(batch=batch).exists():
        raise DomainError("This batch is launched already.")
    taken = Assignment.objects.filter(hit__batch=batch).exclude(state=Assignment.State.OPEN)
    if crowd != INVITED and taken.exists():
        raise DomainError(
            "Invited people have begun to rate this batch. Compose another batch for the crowd."
        )


def _refuse_second_launch(launch: Launch) -> None:
    """Checked again under the lock: somebody may have launched meanwhile."""
    if Launch.objects.filter(batch=launch.batch).exists():
        raise DomainError("This batch is launched already.")
    others = Launch.objects.filter(batch__campaign=launch.batch.campaign)
    if others.exclude(currency=launch.currency).exists():
        raise DomainError(
            "This campaign has spent money in another currency: its budget cannot be compared."
        )


@transaction.atomic
def launch_pause(*, launch: Launch, by: User) -> None:
    """Let nobody new begin; who is at work may finish."""
    _launch_turn(launch, Launch.State.LIVE, Launch.State.PAUSED, by, "paused")
    standing_wishes(launch, [Act.Kind.EXPIRE], by)


@transaction.atomic
def launch_resume(*, launch: Launch, by: User) -> None:
    """Offer the places that are left again."""
    _launch_turn(launch, Launch.State.PAUSED, Launch.State.LIVE, by, "resumed")
    standing_wishes(launch, [Act.Kind.REOPEN], by, days=launch.lifetime_days)


@transaction.atomic
def launch_publish_again(*, launch: Launch, by: User) -> None:
    """Publish what the crowd refused, as when its account was empty. It is looked for first."""
    campaign_lock(launch.batch.campaign)
    launch.refresh_from_db()
    refused = Act.objects.filter(
        posting__launch=launch, kind=Act.Kind.PUBLISH, state=Act.State.FAILED
    )
    postings = Posting.objects.filter(pk__in=refused.values("posting"))
    if launch.state != Launch.State.LIVE or not postings.exists():
        raise DomainError("Nothing of a live launch was refused.")
    postings_recommit(campaign=launch.batch.campaign, postings=postings)
    postings.update(standing=Standing.WAITING)
    refused.update(state=Act.State.UNCLEAR, attempts=0, next_try_at=timezone.now(), ended_at=None)
    _note(launch, by, "published again")


@transaction.atomic
def launch_close(*, launch: Launch, by: User | None) -> None:
    """End it: everything is decided, what was promised for nobody is free again."""
    campaign_lock(launch.batch.campaign)
    undecided = Submission.objects.filter(
        posting__launch=launch, progress=Submission.Progress.SUBMITTED, pay=Submission.Pay.OPEN
    ).count()
    if undecided:
        work = counted(undecided, "submission is", "submissions are")
        raise DomainError(f"{work} not decided yet. Pay or refuse first.")
    begun = Launch.objects.filter(pk=launch.pk).exclude(state=Launch.State.CLOSED)
    if not begun.update(state=Launch.State.CLOSED):
        return
    _note(launch, by, "closed")
    standing_wishes(launch, [Act.Kind.EXPIRE, Act.Kind.CLOSE], by)


def standing_wishes(
    launch: Launch, kinds: Sequence[Act.Kind], by: User | None, **payload: Any
) -> None:
    """Want the standing changed of all that the crowd has of a launch and may still show.

    Each may be paused and opened again any number of times. Whoever calls holds the campaign's
    lock: nobody else counts at the same moment.
    """
    acts = Act.objects.filter(posting__launch=launch, kind__in=kinds)
    times = Counter(acts.values_list("posting", "kind"))
    out = launch.postings.exclude(standing=Standing.CLOSED).order_by("pk")
    wishes = (
        Wish(kind, f"{reference}:{times[pk, kind] + 1}", pk, payload)
        for pk, reference in out.values_list("pk", "reference")
        for kind in kinds
    )
    wishes_write(launch, wishes, by)


def _launch_turn(
    launch: Launch, before: Launch.State, after: Launch.State, by: User, word: str
) -> None:
    campaign_lock(launch.batch.campaign)
    if not Launch.objects.filter(pk=launch.pk, state=before).update(state=after):
        raise DomainError(f"Only what is {before.label.lower()} can be {word}.")
    launch.state = after
    _note(launch, by, word)


def _note(launch: Launch, by: User | None, action: str) -> None:
    AuditEntry.objects.create(
        campaign=launch.batch.campaign,
        person=by,
        action=action,
        detail=_where(launch),
    )


def _where(launch: Launch) -> str:
    return f"batch {launch.batch.number}, {LABELS.get(launch.crowd, launch.crowd)}"


def launches_open() -> Iterable[Launch]:
    """Launches that something may still happen to.

    One that was closed while somebody was at work stays open at its crowd until they are done:
    what they hand in is taken down, and paid, like everybody's. Where there is no marketplace to
    stay open at, it is our own rows that say whether somebody still works.
    """
    rows = Launch.objects.select_related("batch__campaign")
    out = Posting.objects.filter(launch=OuterRef("pk")).exclude(standing=Standing.CLOSED)
    at_work = Assignment.objects.filter(
        hit__batch=OuterRef("batch"),
        state__in=[Assignment.State.ACTIVE, Assignment.State.SUBMITTED],
        submission=None,
    )
    unreported = Q(crowd=INVITED) & Exists(at_work)
    return rows.filter(~Q(state=Launch.State.CLOSED) | Exists(out) | unreported).order_by("pk")
