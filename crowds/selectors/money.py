"""The ledger of a campaign: what it has spent and may still spend, and what each entry was for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import QuerySet, Sum

from crowds.models import Launch, LedgerEntry, Policy, Submission
from crowds.selectors.outbox import hits_of_publications
from hits.models import Campaign

Kind = LedgerEntry.Kind
NOTHING = Decimal("0.00")
PLANNED = "USD"
"""What the plan's reward is in."""


@dataclass(frozen=True)
class Sums:
    """A ledger's totals by kind."""

    committed: Decimal = NOTHING
    released: Decimal = NOTHING
    paid: Decimal = NOTHING
    fee: Decimal = NOTHING
    bonus: Decimal = NOTHING

    @property
    def outstanding(self) -> Decimal:
        """Promised and not yet paid: for work that is out, under way or undecided."""
        return self.committed - self.released

    @property
    def spent(self) -> Decimal:
        return self.paid + self.fee + self.bonus

    @property
    def total(self) -> Decimal:
        """What the campaign costs if everything promised is paid: never above the budget."""
        return self.outstanding + self.spent


def sums_of(entries: QuerySet[LedgerEntry]) -> Sums:
    """To the cent: SQLite adds up floating-point numbers."""
    totals = entries.order_by().values("kind").annotate(total=Sum("amount"))
    return Sums(**{row["kind"]: row["total"].quantize(NOTHING) for row in totals})


def campaign_sums(campaign: Campaign) -> Sums:
    return sums_of(LedgerEntry.objects.filter(campaign=campaign))


def campaign_currency(campaign: Campaign) -> str:
    """What the campaign's launches pay in; empty where they differ, for then sums mean nothing.

    Before any launch it is the plan's.
    """
    launches = Launch.objects.filter(batch__campaign=campaign)
    found = set(launches.values_list("currency", flat=True))
    if not found:
        return PLANNED
    return found.pop() if len(found) == 1 else ""


def policy_of(campaign: Campaign) -> Policy:
    """The campaign's budget and rules; nobody having set any, no budget and the usual rules."""
    return Policy.objects.filter(campaign=campaign).first() or Policy(campaign=campaign)


Reason = LedgerEntry.Reason
UNUSUAL: dict[str, str] = {
    Reason.UNASKED: "paid automatically by the crowd",
    Reason.OVERRULED: "not paid at first",
}


@dataclass(frozen=True)
class EntryShown:
    """An entry and what it was for."""

    entry: LedgerEntry
    about: str


def entries_described(entries: Iterable[LedgerEntry]) -> list[EntryShown]:
    """In two queries."""
    entries = list(entries)
    hits = hits_of_publications({entry.publication_id for entry in entries if entry.publication_id})
    works = _works({entry.submission_id for entry in entries if entry.submission_id})
    return [
        EntryShown(entry, _about(entry, hits.get(entry.publication_id or 0, ""), works))
        for entry in entries
    ]


def _works(submissions: Collection[int]) -> dict[int, tuple[str, str]]:
    """Whose submissions they are, and of which HIT, where that is known."""
    rows = Submission.objects.filter(pk__in=submissions).values_list(
        "pk", "annotator__pseudonym", "assignment__hit__batch__number", "assignment__hit__number"
    )
    return {
        pk: (pseudonym, f"HIT {batch}-{number}" if number is not None else "")
        for pk, pseudonym, batch, number in rows
    }


def _about(entry: LedgerEntry, hits: str, works: Mapping[int, tuple[str, str]]) -> str:
    work = works.get(entry.submission_id or 0)
    if work is None or entry.reason == Reason.EXTRA:
        return _about_hits(entry, hits) if hits else entry.get_reason_display()
    person, hit = work
    what = "Bonus for" if entry.reason == Reason.BONUS else "Work by"
    parts = [f"{what} {person}", hit or hits, UNUSUAL.get(entry.reason, "")]
    return ", ".join(filter(None, parts))


def _about_hits(entry: LedgerEntry, hits: str) -> str:
    if entry.reason == Reason.REST:
        return f"Rest of {hits}"
    if entry.reason == Reason.EXTRA:
        return f"{hits}, more people than were asked for"
    if entry.reason == Reason.MORE:
        return f"{hits}, offered to more people"
    return f"{hits}, offered again" if entry.occasion else hits
