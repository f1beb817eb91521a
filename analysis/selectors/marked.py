"""What people marked in captions and how they rated them, in the form the statistics want."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from analysis.results.marked import Judged
from annotations.models import Mark, Rating
from crowds.selectors.counting import assignments_left_out
from hits.models import Campaign, HitItem


def judged_paragraphs(campaign: Campaign) -> list[Judged]:
    """The last answers of everybody whose work counts, of captions that systems wrote."""
    if not campaign.asked.marks:
        return []
    ratings = Rating.objects.filter(campaign=campaign, kind=HitItem.Kind.SYSTEM)
    ratings = ratings.exclude(assignment__in=assignments_left_out(campaign))
    rows = ratings.order_by("revision").values_list(
        "assignment",
        "position",
        "pk",
        "annotator__pseudonym",
        "caption__video__name",
        "caption__system__name",
        "caption__text",
        "score",
    )
    latest: dict[tuple[int, int], tuple[Any, ...]] = {row[:2]: row[2:] for row in rows}
    marks: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for rating, start, end in Mark.objects.filter(rating__in=ratings).values_list(
        "rating", "start", "end"
    ):
        marks[rating].append((start, end))
    return [
        Judged(name, video, system, text, score, tuple(sorted(marks[pk])))
        for pk, name, video, system, text, score in latest.values()
    ]
