"""Captions that people wrote: of which video, in which set, and what is doubtful about them."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_uppercase

from django.db.models import QuerySet

from analysis.results.written import Written, doubts
from annotations.models import Assignment, Rating
from crowds.selectors.counting import assignments_left_out
from hits.models import Campaign


@dataclass(frozen=True)
class WrittenRow:
    """A caption as the page lists it."""

    rating: int
    video: str
    source: str
    annotator: str
    text: str
    ticks: tuple[str, ...]
    doubts: tuple[str, ...]
    is_removed: bool


def written_captions(campaign: Campaign) -> list[WrittenRow]:
    """The last wording of every caption that counts, doubtful ones first, then by video and set.

    The first person at a HIT writes for set A, the second for B, so that no two captions of a set
    are of one video and no person writes for two sets.
    """
    if not campaign.asked.writes:
        return []
    rows = _answers(campaign)
    written = [Written(each.pk, each.caption.video.name, _name(each), _text(each)) for each in rows]
    found = doubts(written, language=campaign.language)
    listed = [
        WrittenRow(
            rating=each.pk,
            video=each.caption.video.name,
            source=_source(each.item.hit.batch.number, each.assignment.slot or 0),
            annotator=_name(each),
            text=_text(each),
            ticks=tuple(_answer(each)["ticks"]),
            doubts=tuple(found.get(each.pk, ())),
            is_removed=hasattr(each, "removal"),
        )
        for each in rows
    ]
    return sorted(listed, key=lambda row: (not row.doubts, row.video, row.source))


def references_written(campaign: Campaign) -> list[WrittenRow]:
    """Those that nobody removed, by set and video."""
    kept = [row for row in written_captions(campaign) if not row.is_removed]
    return sorted(kept, key=lambda row: (row.source, row.video))


def drafts_to_adopt(campaign: Campaign, among: QuerySet[Campaign]) -> QuerySet[Campaign]:
    """Those that could take the captions as references: drafts with a video of the same name."""
    drafts = among.filter(state=Campaign.State.DRAFT, batches=None)
    names = campaign.videos.values("name")
    return drafts.filter(videos__name__in=names).exclude(protocol=campaign.protocol).distinct()


def _answers(campaign: Campaign) -> list[Rating]:
    left_out = assignments_left_out(campaign)
    ratings = Rating.objects.filter(campaign=campaign).exclude(assignment__in=left_out)
    ratings = ratings.exclude(assignment__state__in=Assignment.GIVEN_UP)
    ratings = ratings.select_related(
        "assignment", "annotator", "caption__video", "item__hit__batch", "removal"
    )
    latest = {(each.assignment_id, each.position): each for each in ratings.order_by("revision")}
    return list(latest.values())


def _answer(rating: Rating) -> dict[str, list[str]]:
    answers: dict[str, dict[str, list[str]]] = rating.answers or {}
    return answers["caption"]


def _text(rating: Rating) -> str:
    return str(_answer(rating)["text"])


def _name(rating: Rating) -> str:
    return rating.annotator.pseudonym


def _source(batch: int, slot: int) -> str:
    """
    >>> _source(1, 1), _source(1, 2), _source(2, 1), _source(1, 27)
    ('A', 'B', 'A-2', 'set 27')
    """
    letter = ascii_uppercase[slot - 1] if slot <= len(ascii_uppercase) else f"set {slot}"
    return letter if batch == 1 else f"{letter}-{batch}"
