"""What acts are about, in words: HITs, lists, and people under their pseudonyms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

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
    hits, people = _hits(acts), people_concerned(acts)
    return [_described(act, hits, people.get(act.pk, [])) for act in acts]


def _described(act: Act, hits: Mapping[int, list[str]], names: list[str]) -> ActShown:
    about = ""
    if act.kind in Act.STANDING and (among := hits.get(act.posting_id or 0)):
        about = f"HIT {among[0]}" if len(among) == 1 else f"{len(among):,} HITs"
    elif audience := act.payload.get("audience", ""):
        about = next((words for end, words in LISTS.items() if audience.endswith(end)), "")
    return ActShown(act, about, tuple(names[:MOST_NAMES]), len(names[MOST_NAMES:]))


def _hits(acts: Iterable[Act]) -> dict[int, list[str]]:
    """The HITs of each posting, as pages name them."""
    postings = Act.objects.filter(pk__in=[act.pk for act in acts]).values("posting")
    places = Place.objects.filter(posting__in=postings).order_by("posting", "hit__number")
    found: defaultdict[int, list[str]] = defaultdict(list)
    for posting, batch, number in places.values_list(
        "posting", "hit__batch__number", "hit__number"
    ):
        found[posting].append(f"{batch}-{number}")
    return dict(found)
