"""What of a campaign waits for a person, and where that person decides it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.urls import reverse

from annotations.models import Submission
from annotations.selectors.confirming import turns_lapsed
from annotations.selectors.crowd import launch_places
from daplatform.wording import counted
from hits.models import Act, Campaign, Launch

SYNC_OVERDUE = timedelta(minutes=15)  # crowds are asked every minute
NEWS = timedelta(days=1)  # a refusal stays in the list of acts, but is no news for ever
Pay, Progress = Submission.Pay, Submission.Progress


@dataclass(frozen=True)
class Decision:
    """Something only a person can settle."""

    key: str
    sentence: str
    url: str


def campaign_decisions(
    campaign: Campaign, launches: Iterable[Launch], settled: str = "", *, now: datetime
) -> list[Decision]:
    """What presses most stands first. In three queries, besides the launches.

    ``settled`` is the order of systems that more ratings would not change, once there is one.
    """
    crowd = reverse("annotations:crowd", args=[campaign.slug])
    review = reverse("annotations:review", args=[campaign.slug])
    return [
        *_acts(campaign, crowd, now),
        *_enough(campaign, launches, settled),
        *_launches(launches, crowd, now),
        *_submissions(campaign, review, now),
    ]


def _acts(campaign: Campaign, crowd: str, now: datetime) -> Iterator[Decision]:
    refused = Q(state=Act.State.FAILED, ended_at__gt=now - NEWS)
    acts = campaign.acts.aggregate(
        asking=Count("pk", filter=Q(state=Act.State.ASKING)), refused=Count("pk", filter=refused)
    )
    if acts["asking"]:
        asked = counted(acts["asking"], "act", "acts")
        sentence = f"Nobody could look up how {asked} towards the crowd ended: look there and say."
        yield Decision("acts", sentence, f"{crowd}#outbox")
    if acts["refused"]:
        sentence = f"The crowd refused {counted(acts['refused'], 'act', 'acts')} since yesterday."
        yield Decision("refusals", sentence, f"{crowd}#outbox")


def _enough(campaign: Campaign, launches: Iterable[Launch], settled: str) -> Iterator[Decision]:
    """Every launch that still takes people costs money for what is known already."""
    for launch in launches if settled else ():
        places = launch_places(launch)
        if launch.state == Launch.State.CLOSED or not places.open:
            continue
        saved = f" and save {places.unused:,.2f} {launch.currency}" if places.unused else ""
        yield Decision(
            f"enough-{launch.pk}",
            f"Enough ratings: {settled} is settled. Closing batch "
            f"{launch.batch.number} now would spare {counted(places.open, 'place', 'places')}"
            f"{saved}.",
            reverse("annotations:launch-close", args=[campaign.slug, launch.pk]),
        )


def _launches(launches: Iterable[Launch], crowd: str, now: datetime) -> Iterator[Decision]:
    for launch in launches:
        if launch.state == Launch.State.CLOSED:
            continue
        batch, place = f"batch {launch.batch.number}", f"{crowd}#launch-{launch.pk}"
        if launch.differences:
            points = counted(len(launch.differences), "point", "points")
            yield Decision(
                f"differences-{launch.pk}",
                f"The crowd and we differ in {points} on {batch}.",
                place,
            )
        if (launch.synced_at or launch.created_at) < now - SYNC_OVERDUE:
            yield Decision(
                f"sync-{launch.pk}",
                f"The crowd of {batch} has not answered for a while: what it knows of the work "
                "is not here.",
                place,
            )


def _submissions(campaign: Campaign, review: str, now: datetime) -> Iterator[Decision]:
    undecided = Submission.objects.filter(
        posting__launch__batch__campaign=campaign, pay=Pay.OPEN, progress=Progress.SUBMITTED
    )
    waiting = undecided.aggregate(clean=Count("pk", filter=Q(problem="")), all=Count("pk"))
    odd = waiting["all"] - waiting["clean"]
    if odd:
        count = counted(odd, "submission is", "submissions are")
        sentence = f"{count} odd, and paid only if you say so."
        yield Decision("odd", sentence, f"{review}?show=problem")
    strange = turns_lapsed(campaign, now).count()
    if strange:
        count = counted(strange, "turn was", "turns were")
        sentence = f"{count} handed in, and no marketplace has confirmed them: they do not count."
        yield Decision("unconfirmed", sentence, f"{review}?show=unconfirmed")
    if waiting["clean"]:
        count = counted(waiting["clean"], "submission waits", "submissions wait")
        yield Decision("submissions", f"{count} to be paid or refused.", f"{review}?show=open")
