"""Who comes in by which link, and whether there is work for them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from django.db.models import Avg, Count, Exists, OuterRef, Q, QuerySet

from annotations.errors import LinkRefused
from annotations.models import Annotator, Arrival, Assignment, Exclusion, Invitation
from annotations.selectors.confirming import is_live
from annotations.tokens import Entry
from hits.models import Batch, Campaign, Launch

State = Assignment.State
# Reading a short caption and placing a mark, besides watching.
SECONDS_PER_ANSWER = 4
CLOSED = "This study is closed. Thank you for your interest."
PAUSED = "This study is paused. When it goes on, this link will work again."
TAKEN = (
    "All tasks are taken at the moment. Should somebody give one back, this link will work again."
)


@dataclass(frozen=True)
class Estimate:
    """What a HIT of a campaign asks of a person."""

    captions: int
    minutes: int


def entry_campaign(entry: Entry) -> Campaign:
    campaign = Campaign.objects.filter(pk=entry.campaign).first()
    if campaign is None:
        raise LinkRefused("This study does not exist any more.")
    return campaign


def entry_invitation(entry: Entry) -> Invitation:
    invitations = Invitation.objects.select_related("annotator", "campaign")
    invitation = invitations.filter(pk=entry.invitation or 0, campaign=entry.campaign).first()
    if invitation is None:
        raise LinkRefused("This invitation was withdrawn.")
    return invitation


def annotator_known(*, crowd: str, external_id: str) -> Annotator | None:
    return Annotator.objects.filter(
        identity__crowd=crowd, identity__external_id=external_id
    ).first()


def assignment_earlier(
    *, campaign: Campaign, annotator: Annotator, hit: int | None, crowd: str, external_id: str
) -> Assignment | None:
    """What a repeated visit leads back to. A crowd's assignment belongs to one person only."""
    if not external_id:
        active = Assignment.objects.filter(
            campaign=campaign, annotator=annotator, state=State.ACTIVE
        )
        return (active if hit is None else active.filter(hit=hit)).order_by("claimed_at").first()
    arrivals = Arrival.objects.filter(crowd=crowd, external_id=external_id)
    arrival = arrivals.select_related("assignment").first()
    if arrival is None:
        return None
    if arrival.assignment.annotator_id != annotator.pk:
        raise LinkRefused("Somebody else is working on this task.")
    return arrival.assignment


def assignments_open(
    *,
    campaign: Campaign,
    annotator: Annotator | None,
    hit: int | None = None,
    crowd: str = "invite",
) -> QuerySet[Assignment]:
    """Work nobody has, in HITs this person never had, in the order it is to be given out.

    Batches that were launched are for the people of their crowd. A marketplace lets nobody new in
    while a launch is paused, and who was let in before may still begin; here invited people wait.
    """
    elsewhere = Launch.objects.filter(batch=OuterRef("hit__batch")).filter(
        ~Q(crowd=crowd)
        | Q(state=Launch.State.CLOSED)
        | Q(state=Launch.State.PAUSED, crowd="invite")
    )
    open_ = Assignment.objects.filter(~Exists(elsewhere), campaign=campaign, state=State.OPEN)
    if hit is not None:
        open_ = open_.filter(hit=hit)
    if annotator is not None:
        mine = Assignment.objects.filter(
            hit=OuterRef("hit"), annotator=annotator, slot__isnull=False
        )
        open_ = open_.filter(~Exists(mine))
    return open_.order_by("hit_id", "slot")


def claim_obstacle(
    *,
    campaign: Campaign,
    annotator: Annotator | None,
    hit: int | None = None,
    crowd: str = "invite",
) -> str:
    """Why this person cannot take work now, as a sentence for them; empty when they can."""
    if campaign.state == Campaign.State.CLOSED:
        return CLOSED
    if annotator is not None and (sentence := _personal_obstacle(campaign, annotator, hit)):
        return sentence
    if not assignments_open(campaign=campaign, annotator=annotator, hit=hit, crowd=crowd).exists():
        return _shortage(campaign, hit, crowd)
    return ""


def _shortage(campaign: Campaign, hit: int | None, crowd: str) -> str:
    """Why nothing is left: what this crowd was asked is over, or waits, or others have it all.

    A batch that was not launched is for invited people, and has no state here.
    """
    batches = Batch.objects.filter(campaign=campaign)
    if hit is not None:
        batches = batches.filter(hits=hit)
    asked = batches.filter(Q(launch=None) | Q(launch__crowd=crowd))
    states = set(asked.values_list("launch__state", flat=True))
    if states == {Launch.State.CLOSED}:
        return CLOSED
    if states and states <= {Launch.State.CLOSED, Launch.State.PAUSED}:
        return PAUSED
    return TAKEN


def work_estimate(campaign: Campaign) -> Estimate:
    """How many captions a HIT has and how long they take, rounded up to five minutes."""
    seconds = campaign.videos.aggregate(mean=Avg("duration"))["mean"] or 0
    minutes = campaign.hit_size * (seconds + SECONDS_PER_ANSWER) / 60
    return Estimate(captions=campaign.hit_size, minutes=5 * math.ceil(minutes / 5))


def invitation_of(assignment: Assignment) -> Invitation | None:
    return Invitation.objects.filter(
        campaign=assignment.campaign, annotator=assignment.annotator
    ).first()


def invitations_with_progress(campaign: Campaign) -> QuerySet[Invitation]:
    """Who was invited, with `finished` and `active` assignments of theirs in this campaign."""
    theirs = Q(annotator__assignments__campaign=campaign)
    active = Q(annotator__assignments__state=State.ACTIVE)
    given_up = Q(annotator__assignments__state__in=Assignment.GIVEN_UP)
    return (
        Invitation.objects.filter(campaign=campaign)
        .select_related("annotator__identity")
        .annotate(
            finished=Count("annotator__assignments", filter=theirs & ~active & ~given_up),
            active=Count("annotator__assignments", filter=theirs & active),
        )
        .order_by("pk")
    )


def simulated_took_part(campaign: Campaign) -> bool:
    return Assignment.objects.filter(campaign=campaign, annotator__is_simulated=True).exists()


def _personal_obstacle(campaign: Campaign, annotator: Annotator, hit: int | None) -> str:
    if Exclusion.objects.filter(owner=campaign.owner_id, annotator=annotator).exists():
        return "There are no more tasks for you in this study. Thank you for your work."
    had = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    if hit is not None and had.filter(hit=hit, slot__isnull=False).exists():
        return "You had this task before, and everybody rates a task only once."
    limit = campaign.max_hits_per_annotator
    standing = Q(slot__isnull=False) & ~Q(state__in=Assignment.GIVEN_UP)
    if limit is not None and had.filter(standing | is_live()).count() >= limit:
        return "You have rated as much as one person may in this study. Thank you!"
    return "" if campaign.is_demo else _mixing_obstacle(campaign, annotator)


def _mixing_obstacle(campaign: Campaign, annotator: Annotator) -> str:
    """People and simulated annotators never share a campaign: their ratings would be pooled."""
    taken = Assignment.objects.filter(
        campaign=campaign, annotator__isnull=False, slot__isnull=False
    )
    if not taken.exclude(annotator__is_simulated=annotator.is_simulated).exists():
        return ""
    if annotator.is_simulated:
        return "People have worked on this campaign: simulated annotators may not join it."
    return "This study was filled by simulated annotators and takes no people."
