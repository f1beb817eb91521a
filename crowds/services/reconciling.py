"""Comparing our rows with the crowd's, and listing every difference in a sentence."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, QuerySet, Sum
from django.utils import timezone

from crowds.gateway import Gateway, PublicationReport, SubmissionStatus
from crowds.models import ExternalId, Launch, LedgerEntry, OutboxMessage, Publication, Submission
from crowds.references import batch_prefix, site_prefix
from crowds.registry import connect
from crowds.selectors.money import NOTHING, sums_of
from crowds.services.money import bonus_fee
from crowds.services.restoring import publications_in_doubt
from crowds.services.submissions import launch_sync

Pay, Kind = Submission.Pay, LedgerEntry.Kind
# So long after a payment a crowd may not list it yet.
LISTED_AFTER = dt.timedelta(hours=1)


def launch_reconcile(*, launch: Launch) -> list[str]:
    """Read everything the crowd knows of a launch, and keep what differs from what we know."""
    gateway = connect(launch.crowd)
    launch_sync(launch=launch, gateway=gateway, undecided=False)
    differences = [*money_differences(launch), *doubts(launch)]
    if gateway.facts.reports_submissions:
        differences += [
            *publication_differences(launch, gateway),
            *submission_differences(launch),
            *bonus_differences(launch, gateway),
        ]
    Launch.objects.filter(pk=launch.pk).update(
        differences=differences, reconciled_at=timezone.now()
    )
    return differences


def doubts(launch: Launch) -> Iterator[str]:
    """What was not published again after a restore, because a person has to look first."""
    for message in publications_in_doubt().filter(
        publication__launch=launch, state=OutboxMessage.State.ASKING
    ):
        yield f"{message.publication} needs your decision. {message.error}"


def publication_differences(launch: Launch, gateway: Gateway) -> Iterator[str]:
    theirs = {row.external_id: row for row in gateway.publications(batch_prefix(launch.batch))}
    ours = ExternalId.objects.filter(
        publication__launch=launch, kind=ExternalId.Kind.PUBLICATION
    ).select_related("publication")
    publications = {known.external_id: known.publication for known in ours}
    people = dict(
        Publication.objects.filter(launch=launch)
        .annotate(n=Sum("published_hits__people"))
        .values_list("pk", "n")
    )
    for name, report in theirs.items():
        if name not in publications:
            cost = launch.reward * report.people
            yield (
                f"The crowd has {report.reference} as {name}, which is unknown here: "
                f"{report.people} people, {cost:.2f} {launch.currency} without fees."
            )
    for name, publication in publications.items():
        yield from _publication_differences(publication, theirs.get(name), people[publication.pk])


def publications_unknown(gateway: Gateway) -> Iterator[str]:
    """What a crowd has of this site's that belongs to no launch, as after a restore."""
    launches = Launch.objects.select_related("batch")
    known = tuple(batch_prefix(launch.batch) for launch in launches)
    for row in gateway.publications(site_prefix()):
        if not row.reference.startswith(known):
            yield (
                f"{gateway.facts.label} has {row.reference} as {row.external_id}, for {row.people} "
                f"people and {row.status}, but no launch here matches it."
            )


def _publication_differences(
    publication: Publication, theirs: PublicationReport | None, people: int
) -> Iterator[str]:
    if theirs is None:
        # Crowds forget what is closed.
        if publication.status != Publication.Status.CLOSED:
            yield f"{publication} is {publication.status} here and unknown to the crowd."
        return
    settled = (
        not publication.messages.filter(kind__in=OutboxMessage.CHANGING)
        .exclude(state__in=OutboxMessage.ENDED)
        .exists()
    )
    if settled and theirs.status != publication.status:
        yield f"{publication} is {publication.status} here and {theirs.status} at the crowd."
    if settled and theirs.people and theirs.people != people:
        yield f"{publication} is for {people} people here and for {theirs.people} at the crowd."


def submission_differences(launch: Launch) -> Iterator[str]:
    """After a full sync every row holds the crowd's last word: compare it with ours.

    Not so where the publication is closed, and the crowd has forgotten it.
    """
    rows = Submission.objects.filter(publication__launch=launch).select_related("annotator")
    for row in rows.exclude(problem=""):
        yield f"Submission {row.external_id}: {row.get_problem_display().lower()}."
    rows = rows.exclude(publication__status=Publication.Status.CLOSED)
    told = OutboxMessage.objects.filter(
        publication__launch=launch, kind=OutboxMessage.Kind.APPROVE, state=OutboxMessage.State.DONE
    )
    approved = rows.filter(pay=Pay.PAY, pk__in=told.values("submission"))
    for row in approved.exclude(status=SubmissionStatus.APPROVED.value):
        yield f"Submission {row.external_id} is paid here and {row.status} at the crowd."
    for row in rows.filter(pay=Pay.REFUSE, status=SubmissionStatus.APPROVED.value):
        yield f"Submission {row.external_id} is not paid here and approved at the crowd."


def money_differences(launch: Launch) -> Iterator[str]:
    """Every approved submission is booked once, and nothing else is."""
    paid = LedgerEntry.objects.filter(publication__launch=launch, kind=LedgerEntry.Kind.PAID)
    booked = paid.aggregate(n=Count("pk"), total=Sum("amount"))
    done = OutboxMessage.objects.filter(
        publication__launch=launch, kind=OutboxMessage.Kind.APPROVE, state=OutboxMessage.State.DONE
    ).count()
    elsewhere = Submission.objects.filter(
        publication__launch=launch, status=SubmissionStatus.APPROVED.value
    ).count()
    if launch.reward and booked["n"] < max(done, elsewhere):
        yield f"{max(done, elsewhere)} submissions are paid and {booked['n']} are in the ledger."
    total = booked["total"] or Decimal(0)
    if total != booked["n"] * launch.reward:
        yield f"{booked['n']} rewards of {launch.reward} are in the ledger as {total}."


@dataclass(frozen=True)
class Paid:
    """What was paid on top of one submission's reward."""

    amount: Decimal = NOTHING
    fee: Decimal = NOTHING

    def __add__(self, other: Paid) -> Paid:
        return Paid(self.amount + other.amount, self.fee + other.fee)

    @property
    def total(self) -> Decimal:
        return self.amount + self.fee


def bonus_differences(launch: Launch, gateway: Gateway) -> Iterator[str]:
    """Submissions for which other bonuses were paid than the ledger has, and what that comes to.

    Publications that are closed are left out: their crowd may have forgotten them.
    """
    ours = _added(bonuses_booked(launch))
    theirs = _added(bonuses_paid(launch, gateway))
    unsure, fresh = _submissions_in_doubt(launch), _submissions_just_paid(launch)
    surplus = NOTHING
    for name in sorted({*ours, *theirs} - unsure):
        here, there = ours[name], theirs[name]
        if here.amount == there.amount or (here.amount > there.amount and name in fresh):
            continue
        surplus += there.total - here.total
        yield (
            f"Bonuses for submission {name} are {here.amount:.2f} here and {there.amount:.2f} at "
            "the crowd."
        )
    if surplus:
        spent = launch_spent(launch)
        yield (
            f"With fees, the ledger has {spent:.2f} {launch.currency} paid for this launch, and "
            f"the crowd {spent + surplus:.2f}."
        )


def bonuses_booked(launch: Launch) -> Iterator[tuple[str, Paid]]:
    """What the ledger says of each bonus, with its submission as the crowd calls it."""
    entries = _entries(launch).exclude(submission__publication__status=Publication.Status.CLOSED)
    for name, kind, amount in entries.values_list("submission__external_id", "kind", "amount"):
        yield name, Paid(fee=amount) if kind == Kind.FEE else Paid(amount)


def bonuses_paid(launch: Launch, gateway: Gateway) -> Iterator[tuple[str, Paid]]:
    """What the crowd says. Nobody was paid where nobody has handed in."""
    worked = ExternalId.objects.filter(
        publication__launch=launch,
        publication__submissions__isnull=False,
        kind=ExternalId.Kind.PUBLICATION,
    ).exclude(publication__status=Publication.Status.CLOSED)
    names = worked.order_by("pk").values_list("external_id", flat=True).distinct()
    rate = gateway.facts.bonus_fee_rate
    for payment in gateway.bonuses(list(names)):
        yield payment.submission, Paid(payment.amount, bonus_fee(payment.amount, rate))


def launch_spent(launch: Launch) -> Decimal:
    """All that the ledger has as paid for a launch, bonuses and fees included."""
    rewards = sums_of(LedgerEntry.objects.filter(publication__launch=launch)).spent
    return rewards + sums_of(_entries(launch)).spent


def _added(payments: Iterable[tuple[str, Paid]]) -> defaultdict[str, Paid]:
    sums: defaultdict[str, Paid] = defaultdict(Paid)
    for name, paid in payments:
        sums[name] += paid
    return sums


def _bonuses(launch: Launch) -> QuerySet[OutboxMessage]:
    return OutboxMessage.objects.filter(publication__launch=launch, kind=OutboxMessage.Kind.BONUS)


def _entries(launch: Launch) -> QuerySet[LedgerEntry]:
    """Bonuses are booked on the campaign: their submissions say to which launch they belong."""
    return LedgerEntry.objects.filter(
        submission__publication__launch=launch,
        reason=LedgerEntry.Reason.BONUS,
        kind__in=[Kind.BONUS, Kind.FEE],
    )


def _submissions_in_doubt(launch: Launch) -> set[str]:
    """Those with a bonus that is just being paid or looked up."""
    unsure = _bonuses(launch).filter(
        state__in=[OutboxMessage.State.CLAIMED, OutboxMessage.State.UNCLEAR]
    )
    return set(unsure.values_list("submission__external_id", flat=True))


def _submissions_just_paid(launch: Launch) -> set[str]:
    fresh = _bonuses(launch).filter(ended_at__gt=timezone.now() - LISTED_AFTER)
    return set(fresh.values_list("submission__external_id", flat=True))
