"""What acts are about, in words: HITs, lists, and people under their pseudonyms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Min

from annotations.models import Annotator, Submission
from hits.models import Act, Place

Kind = Act.Kind
ABOUT_ONE = (Kind.APPROVE, Kind.REJECT, Kind.BONUS)
ABOUT_MANY = (Kind.MESSAGE, Kind.ENLIST, Kind.DELIST)
MOST_NAMES = 5
# The lists of `annotations.references`, by how their names end.
LISTS = {
    "-not-again": "Those not to be invited again",
    "-again": "Those to be invited again",
    "-enough": "Those who have rated enough here",
}


def submission_of(act: Act) -> int | None:
    """The submission that an approval, a rejection or a bonus is about, if its subject says one."""
    number = act.subject.partition(":")[2].partition(":")[0]
    return int(number) if number.isdecimal() else None


def annotators_in(payload: Mapping[str, Any]) -> list[int]:
    """Whom an act about many people names; their names at the crowd are forgotten once it ended."""
    before = payload.get("before", {})
    return list(payload.get("annotators") or before.get("annotators", []))


def people_concerned(acts: Iterable[Act]) -> dict[int, list[str]]:
    """Pseudonyms by the act's pk, sorted, as far as they are known. In two queries."""
    acts = list(acts)
    single = {act.pk: submission_of(act) for act in acts if act.kind in ABOUT_ONE}
    rows = Submission.objects.filter(pk__in=set(single.values()))
    submitted = dict(rows.values_list("pk", "annotator__pseudonym"))
    found = {pk: [submitted[row]] for pk, row in single.items() if row in submitted}
    named = {act.pk: annotators_in(act.payload) for act in acts if act.kind in ABOUT_MANY}
    everybody = {one for some in named.values() for one in some}
    names = dict(Annotator.objects.filter(pk__in=everybody).values_list("pk", "pseudonym"))
    return found | {
        pk: sorted(names[one] for one in some if one in names) for pk, some in named.items()
    }


@dataclass(frozen=True)
class ActShown:
    """An act, what it is about, and the first people it is about."""

    act: Act
    about: str
    names: tuple[str, ...]
    others: int


def acts_described(acts: Iterable[Act]) -> list[ActShown]:
    """In three queries."""
    acts = list(acts)
    hits = hits_of_postings({act.posting_id for act in acts if act.posting_id})
    people = people_concerned(acts)
    return [_described(act, hits, people.get(act.pk, [])) for act in acts]


def _described(act: Act, hits: Mapping[int, str], names: list[str]) -> ActShown:
    about = ""
    if act.kind in Act.STANDING:
        about = hits.get(act.posting_id or 0, "")
    elif audience := act.payload.get("audience", ""):
        about = next((words for end, words in LISTS.items() if audience.endswith(end)), "")
    return ActShown(act, about, tuple(names[:MOST_NAMES]), len(names[MOST_NAMES:]))


def hits_of_postings(postings: Collection[int]) -> dict[int, str]:
    """The HITs of each posting, as pages name them. In one query."""
    places = Place.objects.filter(posting__in=postings).order_by().values_list("posting")
    counted = places.annotate(Min("hit__batch__number"), Min("hit__number"), Count("pk"))
    return {
        posting: f"HIT {batch}-{number}" if hits == 1 else f"{hits:,} HITs of batch {batch}"
        for posting, batch, number, hits in counted
    }
