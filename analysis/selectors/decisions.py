"""What of a campaign waits for a person, and where that person decides it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.urls import reverse

from annotations.models import VideoProblem
from annotations.selectors.confirming import assignments_lapsed
from crowds.models import Launch, OutboxMessage, Submission
from crowds.selectors.overview import launch_open_work
from daplatform.wording import counted
from hits.models import Campaign

SYNC_OVERDUE = timedelta(minutes=15)  # crowds are asked every minute
NEWS = timedelta(days=1)  # a refusal stays in the list of acts, but is no news for ever
Pay, Status = Submission.Pay, Submission.Status


@dataclass(frozen=True)
class Decision:
    """Something only a person can settle."""

    key: str
    sentence: str
    url: str


def campaign_decisions(
    campaign: Campaign, launches: Iterable[Launch], settled: str = "", *, now: datetime
) -> list[Decision]:
    """What presses most stands first. In four queries, besides the launches.

    ``settled`` is the order of systems that more ratings would not change, once there is one.
    """
    crowd = reverse("crowds:crowd", args=[campaign.slug])
    review = reverse("crowds:review", args=[campaign.slug])
    return [
        *_messages(campaign, crowd, now),
        *_enough(campaign, launches, settled),
        *_launches(launches, crowd, now),
        *_submissions(campaign, review, now),
        *_videos(campaign),
    ]


def _messages(campaign: Campaign, crowd: str, now: datetime) -> Iterator[Decision]:
    refused = Q(state=OutboxMessage.State.FAILED, ended_at__gt=now - NEWS)
    messages = campaign.messages.aggregate(
        asking=Count("pk", filter=Q(state=OutboxMessage.State.ASKING)),
        refused=Count("pk", filter=refused),
    )
    if messages["asking"]:
        asked = counted(messages["asking"], "request", "requests")
        sentence = f"The outcome of {asked} is unknown. Check the crowd’s site and record it."
        yield Decision("acts", sentence, f"{crowd}#outbox")
    if messages["refused"]:
        refused_now = counted(messages["refused"], "request", "requests")
        sentence = f"The crowd has refused {refused_now} since yesterday."
        yield Decision("refusals", sentence, f"{crowd}#outbox")


def _enough(campaign: Campaign, launches: Iterable[Launch], settled: str) -> Iterator[Decision]:
    """Every launch that still takes people costs money for what is known already."""
    for launch in launches if settled else ():
        places = launch_open_work(launch)
        if launch.state == Launch.State.CLOSED or not places.open:
            continue
        saved = f" and {places.unused:,.2f} {launch.currency}" if places.unused else ""
        yield Decision(
            f"enough-{launch.pk}",
            f"Enough ratings: {settled} is settled. Closing batch "
            f"{launch.batch.number} now would save {counted(places.open, 'place', 'places')}"
            f"{saved}.",
            reverse("crowds:launch-close", args=[campaign.slug, launch.pk]),
        )


def _launches(launches: Iterable[Launch], crowd: str, now: datetime) -> Iterator[Decision]:
    for launch in launches:
        if launch.state == Launch.State.CLOSED:
            continue
        batch, place = f"batch {launch.batch.number}", f"{crowd}#launch-{launch.pk}"
        if launch.differences:
            points = counted(len(launch.differences), "place", "places")
            yield Decision(
                f"differences-{launch.pk}",
                f"Our records of {batch} differ from the crowd’s in {points}.",
                place,
            )
        if (launch.synced_at or launch.created_at) < now - SYNC_OVERDUE:
            yield Decision(
                f"sync-{launch.pk}",
                f"The crowd of {batch} has not answered for a while, so recent work may be "
                "missing here.",
                place,
            )


def _submissions(campaign: Campaign, review: str, now: datetime) -> Iterator[Decision]:
    undecided = Submission.objects.filter(
        publication__launch__batch__campaign=campaign, pay=Pay.OPEN, status=Status.SUBMITTED
    )
    waiting = undecided.aggregate(clean=Count("pk", filter=Q(problem="")), all=Count("pk"))
    odd = waiting["all"] - waiting["clean"]
    if odd:
        count = counted(
            odd,
            "submission has a problem and is paid",
            "submissions have a problem and are paid",
        )
        sentence = f"{count} only if you approve."
        yield Decision("odd", sentence, f"{review}?show=problem")
    strange = assignments_lapsed(campaign, now).count()
    if strange:
        count = counted(strange, "assignment was", "assignments were")
        sentence = f"{count} handed in without confirmation by the marketplace and do not count."
        yield Decision("unconfirmed", sentence, f"{review}?show=unconfirmed")
    if waiting["clean"]:
        count = counted(waiting["clean"], "submission waits", "submissions wait")
        sentence = f"{count} for your decision: pay or do not pay."
        yield Decision("submissions", sentence, f"{review}?show=open")


def _videos(campaign: Campaign) -> Iterator[Decision]:
    """Videos that annotators reported: the one with most reports is where to look first."""
    reported = (
        VideoProblem.objects.filter(video__campaign=campaign, settled_at=None)
        .values("video", "video__name")
        .annotate(reports=Count("pk"))
        .order_by("-reports", "video")
    )
    rows = list(reported)
    if rows:
        count = counted(sum(row["reports"] for row in rows), "report", "reports")
        videos, worst = counted(len(rows), "video", "videos"), rows[0]
        yield Decision(
            "videos",
            f"{count} of problems with {videos}; most are about {worst['video__name']}.",
            reverse("analysis:video-scores", args=[campaign.slug, worst["video"]]),
        )
