"""Committing, paying and releasing money. Nothing is spent that was not committed first.

Every function here runs inside the transaction of the change that spends, with the campaign's row
locked: two launches at once queue for it, and the second sees what the first has committed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal
from typing import Any, Protocol

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from crowds.gateway import Price
from crowds.models import LedgerEntry, Publication, Submission
from crowds.selectors.money import campaign_sums, policy_of, sums_of
from daplatform.errors import DomainError
from hits.bulk import rows_write
from hits.models import Campaign

CENT = Decimal("0.01")
Kind, Reason = LedgerEntry.Kind, LedgerEntry.Reason


class OverBudget(DomainError):
    """The campaign's budget does not reach."""


class Priced(Protocol):
    """What a publication was priced at: its row, or as much of it as that."""

    @property
    def unit_reward(self) -> Decimal: ...

    @property
    def fee(self) -> Decimal: ...

    @property
    def priced_people(self) -> int: ...


@dataclass(frozen=True)
class Promise:
    """So many more people of a publication, what they cost, and which time they are wanted."""

    publication: int
    people: int
    price: Price
    occasion: str


def campaign_lock(campaign: Campaign) -> Campaign:
    """The campaign's row, nobody else's until the transaction ends."""
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)


def money_left(campaign: Campaign) -> Decimal:
    """What may still be committed."""
    return policy_of(campaign).budget - campaign_sums(campaign).total


@transaction.atomic
def bonus_commit(*, submission: Submission, occasion: str, amount: Decimal) -> None:
    """Promise a bonus, within the budget. Doing it twice for one occasion changes nothing."""
    campaign = campaign_lock(_campaign(submission))
    if not _is_booked(Kind.COMMITTED, submission, Reason.BONUS, occasion):
        _refuse_beyond_budget(campaign, amount)
        _book_bonus(Kind.COMMITTED, submission, occasion, amount)


@transaction.atomic
def publications_commit(*, campaign: Campaign, promises: Sequence[tuple[int, Decimal]]) -> None:
    """Promise what new publications, given by their keys, cost, all of them or none."""
    _commit_all(campaign, Reason.OFFER, [(pk, amount, "") for pk, amount in promises])


@transaction.atomic
def publications_recommit(*, campaign: Campaign, publications: QuerySet[Publication]) -> None:
    """Promise again what publications cost whose promises were released when they were refused."""
    prices = publications.values_list("pk", "unit_reward", "priced_people", "fee")
    entries = LedgerEntry.objects.filter(publication__in=publications, kind=Kind.COMMITTED)
    times = Counter(entries.values_list("publication", flat=True))
    _commit_all(
        campaign,
        Reason.OFFER,
        [(pk, reward * people + fee, str(times[pk] + 1)) for pk, reward, people, fee in prices],
    )


@transaction.atomic
def publications_commit_more(*, campaign: Campaign, promises: Sequence[Promise]) -> None:
    """Promise what more people of publications cost, all of them or none."""
    amounts = [(each.publication, each.price.total, each.occasion) for each in promises]
    _commit_all(campaign, Reason.MORE, amounts)
    # Publications that were priced alike grow alike: a statement for each kind, not for each row.
    alike: dict[tuple[Decimal, int], list[int]] = defaultdict(list)
    for each in promises:
        alike[each.price.fee, each.people].append(each.publication)
    for (fee, people), publications in alike.items():
        Publication.objects.filter(pk__in=publications).update(
            fee=F("fee") + fee, priced_people=F("priced_people") + people
        )


def _commit_all(
    campaign: Campaign, reason: str, promises: Sequence[tuple[int, Decimal, str]]
) -> None:
    """Amounts for publications, each for its occasion; a fixed number of statements."""
    campaign_lock(campaign)
    _refuse_beyond_budget(campaign, sum((amount for _, amount, _ in promises), Decimal()))
    now = timezone.now()
    rows_write(
        LedgerEntry,
        ["campaign_id", "publication_id", "kind", "amount", "reason", "occasion", "created_at"],
        (
            (campaign.pk, publication, Kind.COMMITTED, amount, reason, occasion, now)
            for publication, amount, occasion in promises
            if amount > 0
        ),
        held=False,
    )


def _refuse_beyond_budget(campaign: Campaign, amount: Decimal) -> None:
    left = money_left(campaign)
    if amount > left:
        raise OverBudget(
            f"This would cost {amount:,.2f}, and {max(left, Decimal()):,.2f} of the budget is left."
        )


@transaction.atomic
def publication_withdraw(
    *, publication: Publication, price: Price, people: int, occasion: str
) -> None:
    """Take back a promise of more people that came to nothing."""
    campaign_lock(publication.launch.batch.campaign)
    known = LedgerEntry.objects.filter(
        publication=publication, kind=Kind.RELEASED, reason=Reason.MORE, occasion=occasion
    )
    if known.exists():
        return
    _book_publication(Kind.RELEASED, publication, Reason.MORE, price.total, occasion)
    Publication.objects.filter(pk=publication.pk).update(
        fee=F("fee") - price.fee, priced_people=F("priced_people") - people
    )


@transaction.atomic
def rewards_reserve(
    *, publication: Publication, promised: int, more: int, first: Submission
) -> None:
    """Make sure that `more` people can be paid, besides those `promised` and not paid yet.

    ``first`` is the submission of one of them, for which the ledger books what is lacking.

    That holds by itself as long as the crowd sends no more people than were asked for and the
    publication is not closed; otherwise the money is committed now, within the budget.
    """
    campaign = campaign_lock(publication.launch.batch.campaign)
    publication.refresh_from_db()
    units, fee = units_used(publication)
    people = publication.priced_people - units
    is_covered = people > 0 and publication_outstanding(publication) >= _share(
        publication, publication.fee - fee, min(promised + more, people), people
    )
    lacking = min(more, promised + more - people) if is_covered else more
    if lacking > 0:
        price = price_more(publication, lacking)
        if _is_booked(Kind.COMMITTED, first, Reason.EXTRA):
            return
        _refuse_beyond_budget(campaign, price.total)
        _book(Kind.COMMITTED, first, Reason.EXTRA, price.total)
        Publication.objects.filter(pk=publication.pk).update(
            fee=F("fee") + price.fee, priced_people=F("priced_people") + lacking
        )
        publication.refresh_from_db()


@transaction.atomic
def reward_book(*, submission: Submission) -> None:
    """Somebody was paid for this. Doing it twice changes nothing.

    What a crowd paid by itself, and nobody had promised, is paid all the same: the ledger says what
    happened, and then there is nothing left to promise.
    """
    campaign_lock(_campaign(submission))
    if _is_booked(Kind.PAID, submission, Reason.WORK):
        return
    publication = Publication.objects.get(pk=submission.publication_id)
    price = unit_price(publication)
    missing = price.total - publication_outstanding(publication)
    _book(Kind.COMMITTED, submission, Reason.UNASKED, missing)
    # What was refused first, and overruled, was released then.
    refused = _is_booked(Kind.RELEASED, submission, Reason.WORK)
    _book(Kind.RELEASED, submission, Reason.OVERRULED if refused else Reason.WORK, price.total)
    _book(Kind.PAID, submission, Reason.WORK, price.reward)
    _book(Kind.FEE, submission, Reason.WORK, price.fee)


@transaction.atomic
def reward_release(*, submission: Submission) -> None:
    """Nobody will be paid for this."""
    campaign_lock(_campaign(submission))
    if not _is_booked(Kind.RELEASED, submission, Reason.WORK):
        publication = Publication.objects.get(pk=submission.publication_id)
        promised = min(unit_price(publication).total, publication_outstanding(publication))
        _book(Kind.RELEASED, submission, Reason.WORK, promised)


def bonus_fee(amount: Decimal, rate: Decimal) -> Decimal:
    """What a crowd takes for paying a bonus: a share of it, in whole cents."""
    return (amount * rate).quantize(CENT, ROUND_CEILING)


@transaction.atomic
def bonus_book(*, submission: Submission, occasion: str, amount: Decimal, fee: Decimal) -> None:
    """A bonus was paid that `bonus_commit` had promised for the same occasion."""
    campaign_lock(_campaign(submission))
    if _is_booked(Kind.RELEASED, submission, Reason.BONUS, occasion):
        return
    _book_bonus(Kind.RELEASED, submission, occasion, amount + fee)
    _book_bonus(Kind.BONUS, submission, occasion, amount)
    _book_bonus(Kind.FEE, submission, occasion, fee)


@transaction.atomic
def bonus_release(*, submission: Submission, occasion: str, amount: Decimal) -> None:
    """A bonus that was promised will not be paid."""
    campaign_lock(_campaign(submission))
    if not _is_booked(Kind.RELEASED, submission, Reason.BONUS, occasion):
        _book_bonus(Kind.RELEASED, submission, occasion, amount)


@transaction.atomic
def publication_release(*, publication: Publication) -> None:
    """Free what is still promised for a publication that is over."""
    campaign_lock(publication.launch.batch.campaign)
    times = LedgerEntry.objects.filter(publication=publication, reason=Reason.REST).count()
    rest = publication_outstanding(publication)
    _book_publication(Kind.RELEASED, publication, Reason.REST, rest, str(times + 1))


def publication_outstanding(publication: Publication) -> Decimal:
    """What is promised for the publication and neither paid nor released."""
    return sums_of(LedgerEntry.objects.filter(publication=publication)).outstanding


def unit_price(publication: Publication, units: int = 1) -> Price:
    """What the next person of the publication costs, or the next so many.

    The fee was priced for everybody together: each gets an equal share of what is left of it, so
    that the shares add up to it, whatever the rounding.
    """
    used, fee = units_used(publication)
    people = publication.priced_people - used
    if people < units:
        return price_more(publication, units)
    reward = publication.unit_reward * units
    return Price(
        reward=reward, fee=_share(publication, publication.fee - fee, units, people) - reward
    )


def price_more(publication: Priced, people: int) -> Price:
    """What `people` more than planned cost, at the rate the publication was priced at."""
    fee = (publication.fee / publication.priced_people * people).quantize(CENT, ROUND_CEILING)
    return Price(reward=publication.unit_reward * people, fee=fee)


def units_used(publication: Publication) -> tuple[int, Decimal]:
    """How many people of the publication were paid or refused, and their share of its fee."""
    released = LedgerEntry.objects.filter(
        publication=publication, kind=Kind.RELEASED, reason__in=LedgerEntry.OF_PEOPLE
    )
    units = released.count()
    return units, sums_of(released).released - units * publication.unit_reward


def _share(publication: Publication, fee: Decimal, units: int, people: int) -> Decimal:
    """What `units` of `people` cost who have `fee` to share."""
    return publication.unit_reward * units + (fee * units / people).quantize(CENT, ROUND_HALF_UP)


def _campaign(submission: Submission) -> Campaign:
    return submission.publication.launch.batch.campaign


def _is_booked(kind: str, submission: Submission, reason: str, occasion: str = "") -> bool:
    return LedgerEntry.objects.filter(
        kind=kind, submission=submission, reason=reason, occasion=occasion
    ).exists()


def _book(kind: str, submission: Submission, reason: str, amount: Decimal) -> None:
    """Money of a publication, for one person's work."""
    _entry(
        kind,
        amount,
        campaign=_campaign(submission),
        publication_id=submission.publication_id,
        submission=submission,
        reason=reason,
    )


def _book_bonus(kind: str, submission: Submission, occasion: str, amount: Decimal) -> None:
    """Bonuses are the campaign's: a publication's money is for what was offered."""
    _entry(
        kind,
        amount,
        campaign=_campaign(submission),
        submission=submission,
        reason=Reason.BONUS,
        occasion=occasion,
    )


def _book_publication(
    kind: str, publication: Publication, reason: str, amount: Decimal, occasion: str
) -> None:
    _entry(
        kind,
        amount,
        campaign=publication.launch.batch.campaign,
        publication=publication,
        reason=reason,
        occasion=occasion,
    )


def _entry(kind: str, amount: Decimal, **about: Any) -> None:
    if amount > 0:
        LedgerEntry.objects.create(kind=kind, amount=amount, **about)
