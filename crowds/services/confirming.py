"""Giving a place to people whom their marketplace has named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import Max

from annotations.models import Assignment
from crowds.models import Submission

State, Problem = Assignment.State, Submission.Problem


def assignments_confirm(*, turns: Collection[int]) -> None:
    """Give each unconfirmed assignment an open place of its HIT, or one more where none is open.

    Whoever calls holds the campaign's row: nobody else takes places at the same moment. The
    assignments are locked too, for their people may give them back meanwhile.
    """
    rows = Assignment.objects.select_for_update().filter(pk__in=turns, slot=None).order_by("pk")
    named = list(rows)
    if not named:
        return
    places, last = _open_places(named), _last_slots(named)
    filled = []
    for turn in named:
        if turn.state in Assignment.GIVEN_UP:
            turn.slot = 1  # whichever: it holds none
        elif places[turn.hit_id]:
            place = places[turn.hit_id].pop()
            filled.append(place.pk)
            turn.slot = place.slot
        else:
            turn.slot = last[turn.hit_id] = last[turn.hit_id] + 1
    Assignment.objects.filter(pk__in=filled, state=State.OPEN).delete()
    Assignment.objects.bulk_update(named, ["slot"])


def repeats_mark(submissions: Iterable[Submission]) -> None:
    """A person rates a HIT once: whoever has a place there does not get another."""
    new = [(row, row.assignment) for row in submissions if row.assignment is not None]
    new = [(row, turn) for row, turn in new if turn.slot is None]
    known = Assignment.objects.filter(
        slot__isnull=False,
        hit__in={turn.hit_id for _, turn in new},
        annotator__in={turn.annotator_id for _, turn in new},
    )
    held: set[tuple[int, int | None]] = set()
    if new:
        held |= set(known.values_list("hit_id", "annotator_id"))
    for row, turn in new:
        if (turn.hit_id, turn.annotator_id) in held:
            row.problem = Problem.REPEATED
        held.add((turn.hit_id, turn.annotator_id))


def assignments_named(submissions: Iterable[Submission]) -> list[int]:
    """The assignments of ours that the marketplace confirms with these, finished or not."""
    rows = [row for row in submissions if row.problem != Problem.REPEATED]
    return [row.assignment_id for row in rows if row.assignment_id is not None]


def _open_places(turns: Iterable[Assignment]) -> dict[int, list[Assignment]]:
    """The open places of their HITs, the last one first."""
    places: dict[int, list[Assignment]] = defaultdict(list)
    hits = {turn.hit_id for turn in turns}
    for place in Assignment.objects.filter(hit__in=hits, state=State.OPEN).order_by("-slot"):
        places[place.hit_id].append(place)
    return places


def _last_slots(turns: Iterable[Assignment]) -> dict[int, int]:
    slots = Assignment.objects.filter(hit__in={turn.hit_id for turn in turns}).order_by()
    return dict(slots.values_list("hit").annotate(Max("slot")))
