"""Links into a campaign: who comes in by which, and whether there is work for them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotations.errors import LinkRefused
from annotations.models import Annotator, Assignment, FormAnswers
from annotations.selectors.confirming import is_live, lease
from annotations.selectors.work import corrections_open
from annotations.tokens import Entry, completion_code, entry_sign, since
from crowds.models import Arrival, Exclusion, Launch
from crowds.registry import OWN, crowd_named, marketplaces
from crowds.selectors.money import PLANNED
from hits.models import Batch, Campaign
from hits.selectors import campaign_minutes

State = Assignment.State
MINUTE = dt.timedelta(minutes=1)
CLOSED = gettext_lazy("This study is closed. Thank you for your interest.")
PAUSED = gettext_lazy("This study is paused. When it continues, this link will work again.")
NOT_YET = gettext_lazy("There is nothing to rate yet. When there is, this link will work.")
FINISHED = gettext_lazy("All tasks are done. Thank you for your interest.")
ALL_RATED = gettext_lazy(
    "You have done every task there is at the moment. Thank you for your work."
)
TAKEN = gettext_lazy(
    "All tasks are taken at the moment. If somebody gives one back, this link will work again."
)


@dataclass(frozen=True)
class Estimate:
    """What a HIT of a campaign asks of a person."""

    captions: int
    minutes: int


def entry_campaign(entry: Entry) -> Campaign:
    campaign = Campaign.objects.filter(pk=entry.campaign).first()
    if campaign is None or not _is_known(entry, campaign):
        raise LinkRefused(_("This study no longer exists."))
    return campaign


def _is_known(entry: Entry, campaign: Campaign) -> bool:
    """Whether the link was made for what has its number now."""
    if entry.invitation is not None:
        return True  # `entry_invitation` looks
    if entry.hit is None:
        return entry.since == since(campaign.created_at)
    batch = Batch.objects.filter(campaign=campaign, hits=entry.hit).first()
    return batch is not None and entry.since == since(batch.created_at)


def annotator_known(*, crowd: str, external_id: str) -> Annotator | None:
    return Annotator.objects.filter(
        identity__crowd=crowd, identity__external_id=external_id
    ).first()


def assignment_earlier(
    *, campaign: Campaign, annotator: Annotator, hit: int | None, crowd: str, external_id: str
) -> Assignment | None:
    """What a repeated visit leads back to: work that goes on, or that is to be corrected.

    A crowd's assignment belongs to one person only.
    """
    if not external_id:
        mine = Assignment.objects.filter(campaign=campaign, annotator=annotator)
        mine = mine if hit is None else mine.filter(hit=hit)
        active = mine.filter(state=State.ACTIVE).order_by("claimed_at").first()
        to_correct = mine.filter(pk__in=corrections_open().values("assignment"))
        return active or to_correct.order_by("claimed_at").first()
    arrivals = Arrival.objects.filter(crowd=crowd, external_id=external_id)
    arrival = arrivals.select_related("assignment").first()
    if arrival is None:
        return None
    if arrival.assignment.annotator_id != annotator.pk:
        raise LinkRefused(_("Somebody else is working on this task."))
    return arrival.assignment


def assignments_open(
    *,
    campaign: Campaign,
    annotator: Annotator | None,
    hit: int | None = None,
    crowd: str = OWN,
) -> QuerySet[Assignment]:
    """Work nobody has, in HITs this person never had, in the order it is to be given out.

    Batches that were launched are for the people of their crowd. A marketplace lets nobody new in
    while a launch is paused, and who was let in before may still begin; here invited people wait.
    """
    shut = ~Q(crowd=crowd) | Q(state=Launch.State.CLOSED)
    if not crowd_named(crowd).is_marketplace:
        shut |= Q(state=Launch.State.PAUSED)
    elsewhere = Launch.objects.filter(shut, batch=OuterRef("hit__batch"))
    open_ = Assignment.objects.filter(~Exists(elsewhere), campaign=campaign, state=State.OPEN)
    if hit is not None:
        open_ = open_.filter(hit=hit)
    if annotator is not None:
        mine = Assignment.objects.filter(
            hit=OuterRef("hit"), annotator=annotator, slot__isnull=False
        )
        open_ = open_.filter(~Exists(mine))
    return open_.order_by("hit_id", "slot")


def form_asked(campaign: Campaign, annotator: Annotator | None) -> list[dict[str, Any]]:
    """The campaign's form, for whoever has not filled it in before."""
    theirs = FormAnswers.objects.filter(
        assignment__campaign=campaign, assignment__annotator=annotator
    )
    return [] if annotator and campaign.form and theirs.exists() else campaign.form


def claim_obstacle(
    *,
    campaign: Campaign,
    annotator: Annotator | None,
    hit: int | None = None,
    crowd: str = OWN,
) -> str:
    """Why this person cannot take work now, as a sentence for them; empty when they can."""
    if campaign.state == Campaign.State.CLOSED:
        return str(CLOSED)
    if annotator is not None and (sentence := _personal_obstacle(campaign, annotator, hit)):
        return sentence
    if not assignments_open(campaign=campaign, annotator=annotator, hit=hit, crowd=crowd).exists():
        return _shortage(campaign, annotator, hit, crowd)
    return ""


def _shortage(campaign: Campaign, annotator: Annotator | None, hit: int | None, crowd: str) -> str:
    """Why nothing is left: what this crowd was asked is over, or waits, or others have it all.

    Where simulated annotators were at work there is no launch, and its state is None.
    """
    mine = Q(hit__batch__launch=None) | Q(hit__batch__launch__crowd=crowd)
    turns = Assignment.objects.filter(mine, campaign=campaign).order_by()
    if hit is not None:
        turns = turns.filter(hit=hit)
    states = set(turns.values_list("hit__batch__launch__state", flat=True).distinct())
    if not states:
        return str(NOT_YET)
    if states == {Launch.State.CLOSED}:
        return str(CLOSED)
    if states <= {Launch.State.CLOSED, Launch.State.PAUSED}:
        return str(PAUSED)
    left = assignments_open(campaign=campaign, annotator=None, hit=hit, crowd=crowd)
    if annotator is not None and left.exists():
        return str(ALL_RATED)
    return str(TAKEN if turns.filter(state=State.ACTIVE).exists() else FINISHED)


def work_estimate(campaign: Campaign) -> Estimate:
    """How many captions a HIT has and how long they take."""
    return Estimate(captions=campaign.hit_size, minutes=campaign_minutes(campaign))


def pay_of(entry: Entry) -> str:
    """What a finished HIT is paid, where the link belongs to a launch that pays; else empty."""
    launches = Launch.objects.filter(batch__campaign=entry.campaign, crowd=entry.crowd)
    if entry.hit is not None:
        launches = launches.filter(batch__hits=entry.hit)
    paid = launches.filter(reward__gt=0).exclude(state=Launch.State.CLOSED)
    terms = paid.values_list("reward", "currency").order_by("-pk").first()
    return "{} {}".format(*terms) if terms else ""


def pay_offered(campaign: Campaign) -> str:
    """What invited people will read: their launch's pay or, before there is one, the campaign's."""
    if Launch.objects.filter(batch__campaign=campaign, crowd=OWN).exists():
        return pay_of(Entry(campaign=campaign.pk, crowd=OWN))
    return f"{campaign.reward} {PLANNED}" if campaign.reward else ""


def codes_of(*, campaign: Campaign, annotator: Annotator) -> list[str]:
    """Completion codes of what somebody has handed in, the newest first."""
    handed_in = Assignment.objects.filter(
        campaign=campaign, annotator=annotator, state__in=Assignment.FINISHED
    )
    return [completion_code(pk) for pk in handed_in.order_by("-pk").values_list("pk", flat=True)]


def _personal_obstacle(campaign: Campaign, annotator: Annotator, hit: int | None) -> str:
    if Exclusion.objects.filter(owner=campaign.owner_id, annotator=annotator).exists():
        return _("There are no more tasks for you in this study. Thank you for your work.")
    had = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    if hit is not None and had.filter(hit=hit, slot__isnull=False).exists():
        return _("You have had this task before, and each person rates a task only once.")
    limit = campaign.max_hits_per_annotator
    held = Q(slot__isnull=False) & ~Q(state__in=Assignment.GIVEN_UP)
    if limit is not None and had.filter(held | is_live()).count() >= limit:
        return _("You have rated as much as one person can in this study. Thank you!")
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
    return _("This study was rated by simulated annotators and is not open to people.")


def is_confirmed_later(hit: int) -> bool:
    """Whether a marketplace offers this HIT, and so says who works on it."""
    return Launch.objects.filter(batch__hits=hit, crowd__in=marketplaces()).exists()


def is_claimed_too_often(*, hit: int, origin: str, now: dt.datetime) -> bool:
    """Whether one network has begun too many unconfirmed turns: in a minute, or at this HIT.

    A limit on a HIT alone would let strangers shut out everybody else.
    """
    mine = Arrival.objects.filter(origin=origin, assignment__slot=None)
    counts = mine.filter(assignment__claimed_at__gt=now - lease()).aggregate(
        minute=Count("pk", filter=Q(assignment__claimed_at__gt=now - MINUTE)),
        here=Count("pk", filter=Q(assignment__hit=hit)),
    )
    return bool(origin) and (
        counts["minute"] >= settings.CLAIMS_PER_MINUTE or counts["here"] >= settings.CLAIMS_PER_HIT
    )


def entry_address(entry: Entry) -> str:
    """Where a person, or a marketplace on their behalf, opens the campaign."""
    return settings.PUBLIC_URL + entry_path(entry)


def entry_addresses(entries: Iterable[Entry]) -> list[str]:
    """The same for many: looking up the page takes longer than signing, and is done once."""
    path = reverse("crowds:enter", args=["TOKEN"])
    return [settings.PUBLIC_URL + path.replace("TOKEN", entry_sign(entry)) for entry in entries]


def entry_path(entry: Entry) -> str:
    return reverse("crowds:enter", args=[entry_sign(entry)])
