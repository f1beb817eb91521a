"""What an organiser orders about many annotators in one go, and how it is taken back.

What crowds are to be told of an order waits a while (`settings.UNDO_SECONDS`). Until a worker has
taken it, it can be undone: decisions are as they were before, and money is free again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count

from annotations.models import Annotator, Submission
from annotations.selectors.concerned import ABOUT_ONE, annotators_in, submission_of
from annotations.selectors.reviews import submissions_of
from annotations.services.annotators import annotators_exclude
from annotations.services.order_kinds import ORDERS, Chosen, Remarks, Wish
from annotations.services.people import decision_note
from annotations.services.reviews import decision_restore
from daplatform.errors import DomainError
from daplatform.wording import counted
from hits.models import Act, Campaign, Order, Posting
from hits.selectors.money import campaign_sums
from hits.services.money import campaign_lock, unit_price
from hits.services.outbox import acts_take_back

NOTHING = Decimal("0.00")
ADMITTING = (Order.Kind.EXCLUDE, Order.Kind.READMIT)


class NothingToDo(DomainError):
    """The order concerns nobody of those chosen, in whatever words it is given."""


@dataclass(frozen=True)
class Outcome:
    """An order, and whom of those chosen it does not concern, with the reason."""

    order: Order
    promised: Decimal = NOTHING  # on top of what was promised before
    remarks: tuple[str, ...] = ()


def order_give(
    *, campaign: Campaign, annotators: Sequence[Annotator], wish: Wish, once: str, by: User
) -> Outcome:
    """Do with annotators what is wished, within the budget."""
    rows = submissions_of(campaign).filter(annotator__in=annotators)
    rows = rows.select_related(
        "annotator__identity", "assignment__hit__batch", "posting__launch__batch__campaign"
    )

    def carry_out(order: Order) -> Remarks:
        return ORDERS[wish.kind](Chosen(order, wish, annotators, list(rows)))

    return order_write(
        campaign=campaign, kind=wish.kind, text=wish.text, once=once, by=by, carry_out=carry_out
    )


@transaction.atomic
def order_write(
    *,
    campaign: Campaign,
    kind: Order.Kind,
    text: str,
    once: str,
    by: User,
    carry_out: Callable[[Order], Remarks],
) -> Outcome:
    """An order, and in the same transaction all it wants done. A form sent twice is one order."""
    campaign_lock(campaign)
    if known := Order.objects.filter(campaign=campaign, once=once).first():
        return Outcome(known)
    before = campaign_sums(campaign).total
    order = Order.objects.create(campaign=campaign, kind=kind, once=once, text=text, given_by=by)
    remarks = carry_out(order)
    if not order.acts.exists():
        raise NothingToDo(" ".join(["Nothing would happen.", *remarks]))
    _sum_up(order)
    return Outcome(order, campaign_sums(campaign).total - before, tuple(remarks))


def order_preview(**asked: Any) -> Outcome:
    """What `order_give` would do: it is done and rolled back, so that it cannot turn out other."""
    with transaction.atomic():
        try:
            return order_give(**asked)
        finally:
            transaction.set_rollback(True)


def _sum_up(order: Order) -> None:
    """Write down how many people and submissions it is about, and what it pays or saves."""
    acts = list(order.acts.order_by())
    if order.kind == Order.Kind.MESSAGE:
        order.people = sum(len(act.payload["people"]) for act in acts)
    elif order.kind in ADMITTING:
        order.people = len(_admitted(acts))
    else:
        rows = Submission.objects.filter(pk__in=[submission_of(act) for act in acts])
        order.submissions = len(acts)
        order.people = rows.aggregate(people=Count("annotator", distinct=True))["people"]
        order.cost = _bonuses(acts) if order.kind == Order.Kind.BONUS else _rewards(order)
    order.save()


def _rewards(order: Order) -> Decimal:
    """With fees, of everybody the order is about."""
    counts = order.acts.order_by().values_list("posting").annotate(people=Count("pk"))
    postings = Posting.objects.in_bulk([posting for posting, _ in counts])
    return sum((unit_price(postings[pk], people).total for pk, people in counts), NOTHING)


def _bonuses(acts: Sequence[Act]) -> Decimal:
    """With fees."""
    return sum(
        (Decimal(act.payload["amount"]) + Decimal(act.payload["fee"]) for act in acts), NOTHING
    )


def _listing(acts: Iterable[Act]) -> list[Act]:
    """Those that say who is kept out; each has another beside it."""
    return [act for act in acts if "annotators" in act.payload.get("before", {})]


@transaction.atomic
def order_undo(*, order: Order, by: User, act: int | None = None) -> int:
    """Take back what was not sent yet, of the whole order or of one act; how many acts that is."""
    campaign_lock(order.campaign)
    wanted = order.acts.all() if act is None else order.acts.filter(pk=act)
    _refuse_out_of_turn(order)
    taken = acts_take_back(acts=wanted)
    if not taken:
        is_undone = not wanted.exclude(state=Act.State.UNDONE).exists()
        raise DomainError(
            "This was undone already."
            if is_undone
            else "This was sent, or is being sent: it cannot be undone any more."
        )
    for each in taken:
        _restore(order, each)
    decision_note(
        order.campaign,
        by,
        "undid",
        f"{order_words(order)}: {_extent(order, taken)}",
    )
    return len(taken)


def order_words(order: Order) -> str:
    """What an order does, within a sentence."""
    label = order.get_kind_display()
    return label[:1].lower() + label[1:]


def _extent(order: Order, taken: Sequence[Act]) -> str:
    """How much of an order was taken back; what concerns many people at once counts people."""
    if taken[0].kind in ABOUT_ONE:
        return f"{len(taken)} of {order.acts.count()} not sent yet"
    people = {pk for act in taken for pk in annotators_in(act.payload)}
    return counted(len(people), "person", "people")


def _refuse_out_of_turn(order: Order) -> None:
    """Who was excluded and let in again is as before only if the later order is undone first."""
    later = Act.objects.filter(
        campaign__owner=order.campaign.owner_id, order__gt=order.pk, order__kind__in=ADMITTING
    )
    since = _admitted(later.exclude(state=Act.State.UNDONE))
    if since & _admitted(order.acts.exclude(state=Act.State.UNDONE)):
        raise DomainError("Somebody of these was excluded or let in again since: undo that first.")


def _admitted(acts: Iterable[Act]) -> set[int]:
    """The annotators whom acts let in or keep out."""
    return {pk for act in _listing(acts) for pk in act.payload["before"]["annotators"]}


def _restore(order: Order, act: Act) -> None:
    if act.kind in Act.DECIDING:
        decision_restore(act=act)
    for one in _listing([act]):
        before = one.payload["before"]
        annotators_exclude(
            campaign=order.campaign,
            annotators=before["annotators"],
            excluded=order.kind == Order.Kind.READMIT,
        )
        for word in (None, True, False):
            pks = [int(pk) for pk, said in before["invite_again"].items() if said is word]
            Submission.objects.filter(pk__in=pks).update(invite_again=word)
