"""Whom acts are about, under their pseudonyms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from annotations.models import Annotator, Submission
from hits.models import Act

Kind = Act.Kind
ABOUT_ONE = (Kind.APPROVE, Kind.REJECT, Kind.BONUS)
ABOUT_MANY = (Kind.MESSAGE, Kind.ENLIST, Kind.DELIST)


def submission_of(act: Act) -> int:
    """The submission that an approval, a rejection or a bonus is about."""
    return int(act.subject.split(":")[1])


def annotators_in(payload: Mapping[str, Any]) -> list[int]:
    """Whom an act about many people names; their names at the crowd are forgotten once it ended."""
    return payload.get("annotators") or payload.get("before", {}).get("annotators", [])


def people_concerned(acts: Iterable[Act]) -> dict[int, list[str]]:
    """Pseudonyms by the act's pk, sorted, as far as they are known. In three queries."""
    acts = list(acts)
    single = {act.pk: submission_of(act) for act in acts if act.kind in ABOUT_ONE}
    rows = Submission.objects.filter(pk__in=set(single.values()))
    submitted = dict(rows.values_list("pk", "annotator__pseudonym"))
    found = {pk: [submitted[row]] for pk, row in single.items() if row in submitted}
    several = Act.objects.filter(pk__in=[act.pk for act in acts if act.kind in ABOUT_MANY])
    named = {pk: annotators_in(payload) for pk, payload in several.values_list("pk", "payload")}
    everybody = {one for some in named.values() for one in some}
    names = dict(Annotator.objects.filter(pk__in=everybody).values_list("pk", "pseudonym"))
    return found | {
        pk: sorted(names[one] for one in some if one in names) for pk, some in named.items()
    }
