"""Reading the work: what somebody may take, has rated, and is to see next."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotations.errors import LinkRefused
from annotations.models import Annotator, Assignment, Invitation, Rating
from annotations.tokens import Turn
from hits.models import Campaign, Hit, HitItem, Video

# While one caption is rated the next is already fetched; nothing beyond that is handed out.
LOOKAHEAD = 1
State = Assignment.State
CLOSED = {
    State.RETURNED: "You gave this task back. What you had rated is kept.",
    State.EXPIRED: "The time for this task has run out. What you had rated is kept.",
}
SUBMITTED = "This task was submitted. Thank you!"


@dataclass(frozen=True)
class Answer:
    """The rating that counts for an item."""

    score: int
    fluency: int | None


@dataclass(frozen=True)
class Item:
    """What may be shown of one position of a HIT."""

    position: int
    text: str
    answer: Answer | None = None


def assignments_open(
    *, campaign: Campaign, annotator: Annotator | None, hit: Hit | int | None = None
) -> QuerySet[Assignment]:
    """Work nobody has, in HITs this person never had, in the order it is to be given out."""
    open_ = Assignment.objects.filter(campaign=campaign, state=State.OPEN)
    if hit is not None:
        open_ = open_.filter(hit=hit)
    if annotator is not None:
        mine = Assignment.objects.filter(hit=OuterRef("hit"), annotator=annotator)
        open_ = open_.filter(~Exists(mine))
    return open_.order_by("hit_id", "slot")


def assignment_active(
    *, campaign: Campaign, annotator: Annotator, hit: int | None = None
) -> Assignment | None:
    """The work this person is in the middle of."""
    active = Assignment.objects.filter(
        campaign=campaign, annotator=annotator, state=State.ACTIVE
    )
    return (active if hit is None else active.filter(hit=hit)).order_by("claimed_at").first()


def assignment_of(turn: Turn) -> Assignment:
    """The assignment a turn is about, with its campaign."""
    rows = Assignment.objects.select_related("campaign")
    assignment = rows.filter(pk=turn.assignment, annotator=turn.annotator).first()
    if assignment is None:
        raise LinkRefused("This task does not exist any more.")
    return assignment


def closed_sentence(assignment: Assignment, now: dt.datetime) -> str:
    """Why nothing more can be rated here; empty while the work goes on."""
    if assignment.state == State.ACTIVE:
        overdue = assignment.expires_at is not None and assignment.expires_at <= now
        return CLOSED[State.EXPIRED] if overdue else ""
    return CLOSED.get(State(assignment.state), SUBMITTED)


def claim_obstacle(
    *, campaign: Campaign, annotator: Annotator | None, hit: int | None = None
) -> str:
    """Why this person cannot take work now, as a sentence for them; empty when they can."""
    if campaign.state == Campaign.State.CLOSED:
        return "This study is closed. Thank you for your interest."
    if annotator is not None and (sentence := _personal_obstacle(campaign, annotator, hit)):
        return sentence
    if not assignments_open(campaign=campaign, annotator=annotator, hit=hit).exists():
        return (
            "All tasks are taken at the moment. Should somebody give one back, this link will "
            "work again."
        )
    return ""


def _personal_obstacle(campaign: Campaign, annotator: Annotator, hit: int | None) -> str:
    had = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    if hit is not None and had.filter(hit=hit).exists():
        return "You had this task before, and everybody rates a task only once."
    limit = campaign.max_hits_per_annotator
    if limit is not None and had.exclude(state__in=Assignment.GIVEN_UP).count() >= limit:
        return "You have rated as much as one person may in this study. Thank you!"
    return "" if campaign.is_demo else _mixing_obstacle(campaign, annotator)


def _mixing_obstacle(campaign: Campaign, annotator: Annotator) -> str:
    """People and simulated annotators never share a campaign: their ratings would be pooled."""
    taken = Assignment.objects.filter(campaign=campaign, annotator__isnull=False)
    if not taken.exclude(annotator__is_simulated=annotator.is_simulated).exists():
        return ""
    if annotator.is_simulated:
        return "People have worked on this campaign: simulated annotators may not join it."
    return "This study was filled by simulated annotators and takes no people."


def rated_count(assignment_id: int) -> int:
    """How many captions are rated: they are rated in order, so the last one tells."""
    last = Rating.objects.filter(assignment_id=assignment_id).aggregate(last=Max("position"))
    return 0 if last["last"] is None else last["last"] + 1


def items_released(*, hit_id: int, assignment_id: int, first: int, last: int) -> list[Item]:
    """Items from `first` to `last`, with the ratings they have."""
    rows = (
        HitItem.objects.filter(hit_id=hit_id, position__range=(first, last))
        .order_by("position")
        .values_list("position", "degraded_text", "caption__text")
    )
    answers = _answers(assignment_id, first, last)
    return [Item(at, damaged or text, answers.get(at)) for at, damaged, text in rows]


def item_video(*, hit_id: int, position: int) -> Video:
    return Video.objects.get(captions__items__hit=hit_id, captions__items__position=position)


def hit_media_urls(hit_id: int) -> list[str]:
    """Addresses on other sites that the HIT's videos are played from."""
    videos = Video.objects.filter(captions__items__hit=hit_id).exclude(url="")
    return list(videos.values_list("url", flat=True).distinct())


def invitations_with_progress(campaign: Campaign) -> QuerySet[Invitation]:
    """Who was invited, with `finished` and `active` assignments of theirs in this campaign."""
    theirs = Q(annotator__assignments__campaign=campaign)
    done = ~Q(annotator__assignments__state__in=[State.ACTIVE, *Assignment.GIVEN_UP])
    active = Q(annotator__assignments__state=State.ACTIVE)
    return (
        Invitation.objects.filter(campaign=campaign)
        .select_related("annotator__identity")
        .annotate(
            finished=Count("annotator__assignments", filter=theirs & done),
            active=Count("annotator__assignments", filter=theirs & active),
        )
        .order_by("pk")
    )


def _answers(assignment_id: int, first: int, last: int) -> dict[int, Answer]:
    ratings = (
        Rating.objects.filter(assignment_id=assignment_id, position__range=(first, last))
        .order_by("revision")
        .values_list("position", "score", "fluency")
    )
    return {position: Answer(score, fluency) for position, score, fluency in ratings}
