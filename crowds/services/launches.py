"""Launching a batch at a crowd, pausing it, opening it again and closing it.

Prices are asked for and specs checked before the transaction: no call is ever made inside one.
What is sent is only written down here; `crowds.services.outbox` sends it.
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

from annotations.models import Assignment
from annotations.services.assignments import assignments_open_for
from crowds.gateway import Gateway, PermanentFault, Price, PublicationSpec
from crowds.models import (
    AuditEntry,
    Launch,
    OutboxMessage,
    Policy,
    Publication,
    PublishedHit,
    Submission,
)
from crowds.models.outbox import new_key
from crowds.registry import LABELS, connect, crowd_named, marketplaces
from crowds.selectors.money import policy_of
from crowds.selectors.offering import (
    Choices,
    chunks_whole,
    launch_draft,
    prices_of,
    specs_cut,
)
from crowds.services.money import campaign_lock, publications_commit, publications_recommit
from crowds.services.restoring import restore_recognise
from crowds.specs import spec_pack
from daplatform.errors import DomainError
from daplatform.wording import counted
from hits.bulk import rows_write
from hits.models import Batch, Campaign
from hits.selectors import batch_reach

Status = Publication.Status


class OutboxDraft(NamedTuple):
    """What a crowd is to be told about a publication."""

    kind: OutboxMessage.Kind
    publication: int
    payload: dict[str, Any]
    occasion: str = ""


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
        detail = "; ".join(_setting_words(policy, name) for name in changed)
        AuditEntry.objects.create(
            campaign=campaign, person=by, action="changed the rules", detail=detail
        )
    return policy


def _setting_words(policy: Policy, name: str) -> str:
    """A setting as the form shows it, for a history that people read."""
    display = getattr(policy, f"get_{name}_display", None)
    return f"{Policy.LABELS[name]}: {display() if display else getattr(policy, name)}"


def batch_launch(
    *, batch: Batch, choices: Choices, by: User, budget: Decimal | None = None
) -> Launch:
    """Offer a batch to a crowd, within the campaign's budget. The caller wakes a worker.

    A new ``budget`` is the campaign's from then on, unless the launch is refused.
    """
    gateway = connect(choices.crowd, hurried=True)
    _refuse_odd_batch(batch, choices.crowd)
    launch = launch_draft(batch, choices, gateway.facts)
    launch.launched_by = by
    specs = specs_cut(launch, chunks_whole(launch, gateway.facts), gateway)
    if not specs:
        raise DomainError("This batch has no HITs.")
    check_specs(specs, gateway)
    prices = prices_of(specs, gateway)
    check_balance(sum((price.total for price in prices), Decimal()), gateway)
    restore_recognise()
    return _launch_write(launch, specs, prices, budget)


def check_specs(specs: Sequence[PublicationSpec], gateway: Gateway) -> None:
    """One of each shape is enough: they differ in their HITs only."""
    shapes = {tuple(place.people for place in spec.places): spec for spec in specs}
    for spec in shapes.values():
        gateway.check(spec)


def check_balance(needed: Decimal, gateway: Gateway) -> None:
    """A balance may cover each of the publications, and not all of them."""
    facts, available = gateway.facts, gateway.balance()
    if available is not None and needed > available:
        raise PermanentFault(
            f"This costs {needed:,.2f} {facts.currency}, but the account at {facts.label} has "
            f"{available:,.2f}."
        )


@transaction.atomic
def _launch_write(
    launch: Launch,
    specs: Sequence[PublicationSpec],
    prices: Sequence[Price],
    budget: Decimal | None,
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
    publications_write(launch=launch, specs=specs, prices=prices)
    total = sum((price.total for price in prices), Decimal())
    AuditEntry.objects.create(
        campaign=campaign,
        person=launch.launched_by,
        action="launched",
        detail=f"{_where(launch)} for {total:,.2f} {launch.currency}",
    )
    return launch


@transaction.atomic
def publications_write(
    *, launch: Launch, specs: Sequence[PublicationSpec], prices: Sequence[Price]
) -> None:
    """Write down publications with their places, commit their price, and want them published.

    A fixed number of statements and no objects: a launch may have ten thousand HITs.
    """
    _publications_insert(launch, specs, prices)
    known = dict(launch.publications.values_list("reference", "pk"))
    keys = [known[spec.reference] for spec in specs]
    rows_write(
        PublishedHit,
        ["publication_id", "hit_id", "people", "url"],
        (
            (key, hit_of(place.reference), place.people, place.url)
            for key, spec in zip(keys, specs, strict=True)
            for place in spec.places
        ),
        held=False,
    )
    publications_commit(
        campaign=launch.batch.campaign,
        promises=[(key, price.total) for key, price in zip(keys, prices, strict=True)],
    )
    drafts = (
        OutboxDraft(OutboxMessage.Kind.PUBLISH, key, {"spec": spec_pack(spec)})
        for key, spec in zip(keys, specs, strict=True)
    )
    drafts_write(launch, drafts, launch.launched_by)


def _publications_insert(
    launch: Launch, specs: Sequence[PublicationSpec], prices: Sequence[Price]
) -> None:
    shared = {
        "launch_id": launch.pk,
        "status": Status.WAITING,
        "address": "",
        "created_at": timezone.now(),
    }
    rows_write(
        Publication,
        ["reference", "unit_reward", "fee", "priced_people", *shared],
        (
            (spec.reference, spec.reward, price.fee, spec.people, *shared.values())
            for spec, price in zip(specs, prices, strict=True)
        ),
        held=False,
    )


def drafts_write(launch: Launch, drafts: Iterable[OutboxDraft], by: User | None) -> None:
    """Messages for the outbox, each of them new."""
    now = timezone.now()
    shared: dict[str, Any] = {
        "campaign_id": launch.batch.campaign_id,
        "crowd": launch.crowd,
        "asked_by_id": by and by.pk,
        "state": OutboxMessage.State.WAITING,
        "attempts": 0,
        "error": "",
        "next_try_at": now,
        "created_at": now,
    }
    rows_write(
        OutboxMessage,
        ["kind", "publication_id", "payload", "occasion", "key", *shared],
        ((*draft, new_key(), *shared.values()) for draft in drafts),
        held=False,
    )


def hit_of(reference: str) -> int:
    """The HIT a place's reference names."""
    return int(reference.removeprefix("hit-"))


def _refuse_odd_batch(batch: Batch, crowd: str) -> None:
    if batch.status != Batch.Status.DONE:
        raise DomainError("This batch has no HITs yet.")
    if Launch.objects.filter(batch=batch).exists():
        raise DomainError("This batch has already been launched.")
    reach = batch_reach(batch)
    if not reach.is_enough:
        raise DomainError(str(reach))
    taken = Assignment.objects.filter(hit__batch=batch).exclude(state=Assignment.State.OPEN)
    if crowd_named(crowd).is_marketplace and taken.exists():
        raise DomainError(
            "Invited people have started to rate this batch. Compose another batch for the crowd."
        )


def _refuse_second_launch(launch: Launch) -> None:
    """Checked again under the lock: somebody may have launched meanwhile."""
    if Launch.objects.filter(batch=launch.batch).exists():
        raise DomainError("This batch has already been launched.")
    others = Launch.objects.filter(batch__campaign=launch.batch.campaign)
    if others.exclude(currency=launch.currency).exists():
        raise DomainError(
            "This campaign has spent money in another currency: its budget cannot be compared."
        )


@transaction.atomic
def launch_pause(*, launch: Launch, by: User) -> None:
    """Let nobody new begin; who is at work may finish."""
    _launch_turn(launch, Launch.State.LIVE, Launch.State.PAUSED, by, "paused")
    status_drafts(launch, [OutboxMessage.Kind.EXPIRE], by)


@transaction.atomic
def launch_resume(*, launch: Launch, by: User) -> None:
    """Offer the places that are left again."""
    _launch_turn(launch, Launch.State.PAUSED, Launch.State.LIVE, by, "resumed")
    status_drafts(launch, [OutboxMessage.Kind.REOPEN], by, days=launch.lifetime_days)


@transaction.atomic
def launch_publish_again(*, launch: Launch, by: User) -> None:
    """Publish what the crowd refused, as when its account was empty. It is looked for first."""
    campaign_lock(launch.batch.campaign)
    launch.refresh_from_db()
    refused = OutboxMessage.objects.filter(
        publication__launch=launch,
        kind=OutboxMessage.Kind.PUBLISH,
        state=OutboxMessage.State.FAILED,
    )
    publications = Publication.objects.filter(pk__in=refused.values("publication"))
    if launch.state != Launch.State.LIVE or not publications.exists():
        raise DomainError("No publication of a live launch was refused.")
    publications_recommit(campaign=launch.batch.campaign, publications=publications)
    publications.update(status=Status.WAITING)
    refused.update(
        state=OutboxMessage.State.UNCLEAR, attempts=0, next_try_at=timezone.now(), ended_at=None
    )
    _note(launch, by, "published again")


@transaction.atomic
def launch_close(*, launch: Launch, by: User | None) -> None:
    """End it: everything is decided, what was promised for nobody is free again."""
    campaign_lock(launch.batch.campaign)
    undecided = Submission.objects.filter(
        publication__launch=launch, status=Submission.Status.SUBMITTED, pay=Submission.Pay.OPEN
    ).count()
    if undecided:
        work = counted(undecided, "submission is", "submissions are")
        raise DomainError(f"{work} not decided yet. Review them first.")
    begun = Launch.objects.filter(pk=launch.pk).exclude(state=Launch.State.CLOSED)
    if not begun.update(state=Launch.State.CLOSED):
        return
    _note(launch, by, "closed")
    status_drafts(launch, [OutboxMessage.Kind.EXPIRE, OutboxMessage.Kind.CLOSE], by)


def status_drafts(
    launch: Launch, kinds: Sequence[OutboxMessage.Kind], by: User | None, **payload: Any
) -> None:
    """Ask to change the status of all that the crowd has of a launch and may still show.

    Each may be paused and opened again any number of times. Whoever calls holds the campaign's
    lock: nobody else counts at the same moment.
    """
    messages = OutboxMessage.objects.filter(publication__launch=launch, kind__in=kinds)
    times = Counter(messages.values_list("publication", "kind"))
    out = launch.publications.exclude(status=Status.CLOSED).order_by("pk")
    drafts = (
        OutboxDraft(kind, pk, payload, str(times[pk, kind] + 1))
        for pk in out.values_list("pk", flat=True)
        for kind in kinds
    )
    drafts_write(launch, drafts, by)


def _launch_turn(
    launch: Launch, before: Launch.State, after: Launch.State, by: User, word: str
) -> None:
    campaign_lock(launch.batch.campaign)
    if not Launch.objects.filter(pk=launch.pk, state=before).update(state=after):
        raise DomainError(f"Only a {before.label.lower()} launch can be {word}.")
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
    out = Publication.objects.filter(launch=OuterRef("pk")).exclude(status=Status.CLOSED)
    at_work = Assignment.objects.filter(
        hit__batch=OuterRef("batch"),
        state__in=[Assignment.State.ACTIVE, Assignment.State.SUBMITTED],
        submission=None,
    )
    unreported = ~Q(crowd__in=marketplaces()) & Exists(at_work)
    return rows.filter(~Q(state=Launch.State.CLOSED) | Exists(out) | unreported).order_by("pk")
