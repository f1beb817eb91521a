"""What movements of money were for, in words: HITs, and people under their pseudonyms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from crowds.models import LedgerEntry, Submission
from crowds.selectors.outbox import hits_of_publications

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
