"""A HIT as it was answered: who rated which of its captions how."""

from __future__ import annotations

from dataclasses import dataclass

from annotations.models import Assignment, Rating
from hits.models import Hit
from hits.selectors import ItemRow, hit_rows


@dataclass(frozen=True)
class RatedItem:
    """One position of a HIT with everybody's score or words, in the order of the turns."""

    row: ItemRow
    scores: list[int | str | None]

    @property
    def mean(self) -> float | None:
        given = [score for score in self.scores if isinstance(score, int)]
        return sum(given) / len(given) if given else None


def hit_turns(hit: Hit, most: int) -> list[Assignment]:
    """The turns of people at a HIT, the latest ones where there are more than ``most``."""
    taken = hit.assignments.exclude(annotator=None).exclude(slot=None).select_related("annotator")
    return sorted(taken.order_by("-pk")[:most], key=lambda turn: (turn.slot or 0, turn.pk))


def rated_items(hit: Hit, turns: list[Assignment]) -> list[RatedItem]:
    """The HIT's items in order; of an answer that was changed the last score."""
    ratings = Rating.objects.filter(assignment__in=turns).order_by("revision")
    given = ratings.values_list("assignment", "position", "score", "answers__caption__text")
    scores = {
        (assignment, position): words if score is None else score
        for assignment, position, score, words in given
    }
    return [
        RatedItem(row, [scores.get((turn.pk, row.item.position)) for turn in turns])
        for row in hit_rows(hit)
    ]
