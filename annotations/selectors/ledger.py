"""What movements of money were for, in words: HITs, and people under their pseudonyms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from annotations.models import Submission
from annotations.selectors.concerned import hits_of_postings
from hits.models import LedgerEntry

ABOUT_WORK = ("submission", "bonus")
# How `hits.services.money` ends the subject of what is not the usual course of a payment.
UNUSUAL = {
    "unasked": "paid by the crowd by itself",
    "overruled": "refused at first",
}


@dataclass(frozen=True)
class EntryShown:
    """An entry and what it was for."""

    entry: LedgerEntry
    about: str


@dataclass(frozen=True)
class Subject:
    """What those who book call it: `posting:12:2`, `submission:7`, `bonus:7:…`, `…:more:1`."""

    head: str
    number: str
    end: str

    @property
    def submission(self) -> int | None:
        """The submission it names, if it is about one person's work."""
        is_work = self.head in ABOUT_WORK and self.end != "extra" and self.number.isdecimal()
        return int(self.number) if is_work else None


def subject_of(entry: LedgerEntry) -> Subject:
    head, _, rest = entry.subject.partition(":")
    number, _, end = rest.partition(":")
    return Subject(head, number, end)


def entries_described(entries: Iterable[LedgerEntry]) -> list[EntryShown]:
    """In two queries."""
    read = [(entry, subject_of(entry)) for entry in entries]
    hits = hits_of_postings({entry.posting_id for entry, _ in read if entry.posting_id})
    works = _works({found for _, subject in read if (found := subject.submission)})
    return [
        EntryShown(
            entry, _about(subject, hits.get(entry.posting_id or 0, ""), works) or entry.subject
        )
        for entry, subject in read
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


def _about(subject: Subject, hits: str, works: Mapping[int, tuple[str, str]]) -> str:
    if work := works.get(subject.submission or 0):
        person, hit = work
        what = "Bonus for" if subject.head == "bonus" else "Work by"
        parts = [f"{what} {person}", hit or hits, UNUSUAL.get(subject.end, "")]
        return ", ".join(filter(None, parts))
    return _about_hits(subject, hits) if hits else ""


def _about_hits(subject: Subject, hits: str) -> str:
    if subject.head == "rest":
        return f"Rest of {hits}"
    if subject.end == "extra":
        return f"{hits}, more people than were asked for"
    if subject.number == "more":
        return f"{hits}, offered to more people"
    return f"{hits}, offered again" if subject.end else hits
