"""What an organiser decides about many annotators in one go, and how it is taken back.

What crowds are to be told of a review action waits a while (`settings.UNDO_SECONDS`). Until a
worker has taken it, it can be undone: decisions are as they were before, and money is free again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count

from annotations.models import Annotator
from crowds.models import OutboxMessage, Publication, ReviewAction, Submission
from crowds.selectors.money import campaign_sums
from crowds.selectors.outbox import ABOUT_ONE
from crowds.selectors.reviews import submissions_of
from crowds.services.money import campaign_lock, unit_price
from crowds.services.outbox import outbox_take_back
from crowds.services.people import annotators_exclude, decision_note
from crowds.services.review_action_kinds import ACTIONS, ActionRequest, Chosen, Remarks
from crowds.services.reviews import decision_restore
from daplatform.errors import DomainError
from daplatform.wording import counted
from hits.models import Campaign

NOTHING = Decimal("0.00")
ADMITTING = (ReviewAction.Kind.EXCLUDE, ReviewAction.Kind.READMIT)
LISTING = (OutboxMessage.Kind.ENLIST, OutboxMessage.Kind.DELIST)


class NothingToDo(DomainError):
    """The action concerns nobody of those chosen, in whatever words it is given."""


@dataclass(frozen=True)
class Outcome:
    """A review action, and whom of those chosen it does not concern, with the reason."""

    action: ReviewAction
    promised: Decimal = NOTHING  # on top of what was promised before
    remarks: tuple[str, ...] = ()


def review_action_give(
    *,
    campaign: Campaign,
    annotators: Sequence[Annotator],
    asked: ActionRequest,
    once: str,
    by: User,
) -> Outcome:
    """Do with annotators what is wished, within the budget."""
    rows = submissions_of(campaign).filter(annotator__in=annotators)
    rows = rows.select_related(
        "annotator__identity", "assignment__hit__batch", "publication__launch__batch__campaign"
    )

    def carry_out(action: ReviewAction) -> Remarks:
        return ACTIONS[asked.kind](Chosen(action, asked, annotators, list(rows)))

    return review_action_write(
        campaign=campaign, kind=asked.kind, text=asked.text, once=once, by=by, carry_out=carry_out
    )


@transaction.atomic
def review_action_write(
    *,
    campaign: Campaign,
    kind: ReviewAction.Kind,
    text: str,
    once: str,
    by: User,
    carry_out: Callable[[ReviewAction], Remarks],
) -> Outcome:
    """An action, and in the same transaction all it wants done. A form sent twice is one action."""
    campaign_lock(campaign)
    if known := ReviewAction.objects.filter(campaign=campaign, once=once).first():
        return Outcome(known)
    before = campaign_sums(campaign).total
    action = ReviewAction.objects.create(
        campaign=campaign, kind=kind, once=once, text=text, given_by=by
    )
    remarks = carry_out(action)
    if not action.messages.exists():
        raise NothingToDo(" ".join(["This would change nothing.", *remarks]))
    _sum_up(action)
    return Outcome(action, campaign_sums(campaign).total - before, tuple(remarks))


def review_action_preview(**asked: Any) -> Outcome:
    """What `review_action_give` would do: it is done and rolled back, so it cannot differ."""
    with transaction.atomic():
        try:
            return review_action_give(**asked)
        finally:
            transaction.set_rollback(True)


def _sum_up(action: ReviewAction) -> None:
    """Write down how many people and submissions it is about, and what it pays or saves."""
    messages = list(action.messages.order_by())
    if action.kind == ReviewAction.Kind.MESSAGE:
        action.people = len(_people(messages))
    elif action.kind in ADMITTING:
        action.people = len(_people(_listing(messages)))
    else:
        rows = Submission.objects.filter(messages__in=messages)
        action.submissions = len(messages)
        action.people = rows.aggregate(people=Count("annotator", distinct=True))["people"]
        action.cost = (
            _bonuses(messages) if action.kind == ReviewAction.Kind.BONUS else _rewards(action)
        )
    action.save()


def _rewards(action: ReviewAction) -> Decimal:
    """With fees, of everybody the action is about."""
    counts = action.messages.order_by().values_list("publication").annotate(people=Count("pk"))
    publications = Publication.objects.in_bulk([publication for publication, _ in counts])
    return sum((unit_price(publications[pk], people).total for pk, people in counts), NOTHING)


def _bonuses(messages: Sequence[OutboxMessage]) -> Decimal:
    """With fees."""
    return sum(
        (
            Decimal(message.payload["amount"]) + Decimal(message.payload["fee"])
            for message in messages
        ),
        NOTHING,
    )


def _listing(messages: Iterable[OutboxMessage]) -> list[OutboxMessage]:
    """Those that say who is kept out; each has another beside it."""
    return [
        message for message in messages if message.kind in LISTING and "before" in message.payload
    ]


def _people(messages: Iterable[OutboxMessage]) -> set[int]:
    """The annotators whom messages about many people name."""
    named = OutboxMessage.annotators.through.objects.filter(
        outboxmessage__in=[message.pk for message in messages]
    )
    return set(named.values_list("annotator_id", flat=True))


@transaction.atomic
def review_action_undo(*, action: ReviewAction, by: User, message: int | None = None) -> int:
    """Take back what was not sent yet, all of it or one message; how many messages that is."""
    campaign_lock(action.campaign)
    wanted = action.messages.all() if message is None else action.messages.filter(pk=message)
    _refuse_out_of_turn(action)
    taken = outbox_take_back(messages=wanted)
    if not taken:
        is_undone = not wanted.exclude(state=OutboxMessage.State.UNDONE).exists()
        raise DomainError(
            "This has already been undone."
            if is_undone
            else "This was sent, or is being sent: it can no longer be undone."
        )
    for each in taken:
        _restore(action, each)
    decision_note(
        action.campaign,
        by,
        "undid",
        f"{review_action_words(action)}: {_extent(action, taken)}",
    )
    return len(taken)


def review_action_words(action: ReviewAction) -> str:
    """What a review action does, within a sentence."""
    label = action.get_kind_display()
    return label[:1].lower() + label[1:]


def _extent(action: ReviewAction, taken: Sequence[OutboxMessage]) -> str:
    """How much of an action was taken back; what concerns many people at once counts people."""
    if taken[0].kind in ABOUT_ONE:
        return f"{len(taken)} of {action.messages.count()} not sent yet"
    return counted(len(_people(taken)), "person", "people")


def _refuse_out_of_turn(action: ReviewAction) -> None:
    """Who was excluded and let in again is as before only if the later action is undone first."""
    later = OutboxMessage.objects.filter(
        campaign__owner=action.campaign.owner_id, action__gt=action.pk, action__kind__in=ADMITTING
    )
    since = _people(_listing(later.exclude(state=OutboxMessage.State.UNDONE)))
    if since & _people(_listing(action.messages.exclude(state=OutboxMessage.State.UNDONE))):
        raise DomainError(
            "The invitation decision for some of these people has changed since. Undo that first."
        )


def _restore(action: ReviewAction, message: OutboxMessage) -> None:
    if message.kind in OutboxMessage.DECIDING:
        decision_restore(message=message)
    for one in _listing([message]):
        annotators_exclude(
            campaign=action.campaign,
            annotators=_people([one]),
            excluded=action.kind == ReviewAction.Kind.READMIT,
        )
        for word in (None, True, False):
            pks = [int(pk) for pk, said in one.payload["before"].items() if said is word]
            Submission.objects.filter(pk__in=pks).update(invite_again=word)
