"""Comparing our rows with the crowd's, and listing every difference in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from django.db.models import Count, Sum
from django.utils import timezone

from annotations.models import Submission
from annotations.references import batch_prefix, site_prefix
from annotations.services.reconciling_bonuses import bonus_differences
from annotations.services.submissions import launch_sync
from hits.crowds import connect
from hits.crowds.gateway import Gateway, Progress, Publication
from hits.models import Act, ExternalId, Launch, LedgerEntry, Posting

Pay = Submission.Pay


def launch_reconcile(*, launch: Launch) -> list[str]:
    """Read everything the crowd knows of a launch, and keep what differs from what we know."""
    gateway = connect(launch.crowd)
    launch_sync(launch=launch, gateway=gateway, undecided=False)
    differences = [*money_differences(launch)]
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


def publication_differences(launch: Launch, gateway: Gateway) -> Iterator[str]:
    theirs = {row.external_id: row for row in gateway.publications(batch_prefix(launch.batch))}
    ours = ExternalId.objects.filter(
        posting__launch=launch, kind=ExternalId.Kind.PUBLICATION
    ).select_related("posting")
    postings = {known.external_id: known.posting for known in ours}
    people = dict(
        Posting.objects.filter(launch=launch)
        .annotate(n=Sum("places__people"))
        .values_list("pk", "n")
    )
    for name, publication in theirs.items():
        if name not in postings:
            cost = launch.reward * publication.people
            yield (
                f"The crowd has {publication.reference} as {name}, which is not known here: "
                f"{publication.people} people, {cost:.2f} {launch.currency} without fees."
            )
    for name, posting in postings.items():
        yield from _posting_differences(posting, theirs.get(name), people[posting.pk])


def publications_unknown(gateway: Gateway) -> Iterator[str]:
    """What a crowd has of this site's that belongs to no launch, as after a restore."""
    launches = Launch.objects.select_related("batch")
    known = tuple(batch_prefix(launch.batch) for launch in launches)
    for row in gateway.publications(site_prefix()):
        if not row.reference.startswith(known):
            yield (
                f"{gateway.facts.label} has {row.reference} as {row.external_id}, for {row.people} "
                f"people and {row.standing}, and no launch here is behind it."
            )


def _posting_differences(
    posting: Posting, theirs: Publication | None, people: int
) -> Iterator[str]:
    if theirs is None:
        # Crowds forget what is closed.
        if posting.standing != Posting.Standing.CLOSED:
            yield f"{posting} is {posting.standing} here and unknown to the crowd."
        return
    settled = not posting.acts.filter(kind__in=Act.STANDING).exclude(state__in=Act.ENDED).exists()
    if settled and theirs.standing != posting.standing:
        yield f"{posting} is {posting.standing} here and {theirs.standing} at the crowd."
    if settled and theirs.people and theirs.people != people:
        yield f"{posting} is for {people} people here and for {theirs.people} at the crowd."


def submission_differences(launch: Launch) -> Iterator[str]:
    """After a full sync every row holds the crowd's last word: compare it with ours.

    Not so where the posting is closed, and the crowd has forgotten it.
    """
    rows = Submission.objects.filter(posting__launch=launch).select_related("annotator")
    for row in rows.exclude(problem=""):
        yield f"Submission {row.external_id}: {row.get_problem_display().lower()}."
    rows = rows.exclude(posting__standing=Posting.Standing.CLOSED)
    approvals = Act.objects.filter(
        posting__launch=launch, kind=Act.Kind.APPROVE, state=Act.State.DONE
    ).values("payload__submission")
    told = {row["payload__submission"] for row in approvals}
    for row in rows.filter(pay=Pay.PAY, external_id__in=told).exclude(
        progress=Progress.APPROVED.value
    ):
        yield f"Submission {row.external_id} is approved here and {row.progress} at the crowd."
    for row in rows.filter(pay=Pay.REFUSE, progress=Progress.APPROVED.value):
        yield f"Submission {row.external_id} is refused here and approved at the crowd."


def money_differences(launch: Launch) -> Iterator[str]:
    """Every approved submission is booked once, and nothing else is."""
    paid = LedgerEntry.objects.filter(posting__launch=launch, kind=LedgerEntry.Kind.PAID)
    booked = paid.aggregate(n=Count("pk"), total=Sum("amount"))
    done = Act.objects.filter(
        posting__launch=launch, kind=Act.Kind.APPROVE, state=Act.State.DONE
    ).count()
    elsewhere = Submission.objects.filter(
        posting__launch=launch, progress=Progress.APPROVED.value
    ).count()
    if launch.reward and booked["n"] < max(done, elsewhere):
        yield f"{max(done, elsewhere)} submissions are approved and {booked['n']} are booked."
    total = booked["total"] or Decimal(0)
    if total != booked["n"] * launch.reward:
        yield f"{booked['n']} rewards of {launch.reward} are booked as {total}."
