"""Work in progress: how far an assignment is, what comes next, and which campaigns are rated."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Exists, F, Max, Min, OuterRef, QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotations.errors import LinkRefused
from annotations.models import Annotator, Assignment, Correction, Rating, TutorialPass
from annotations.tokens import RatingSession, since
from hits.models import Campaign, Hit, HitItem, Video
from hits.models.material import shows_image
from hits.protocols import AnnotationProtocol
from hits.protocols.filling import FilledMark, is_filled_for
from hits.selectors.filling import captions_filled, filled_shown

UNFINISHED = (Assignment.State.OPEN, Assignment.State.ACTIVE)
# Of items that show a caption, and not a check.
OF_CAPTIONS = [kind for kind in HitItem.Kind if kind != HitItem.Kind.ATTENTION]
FASTEST = 2.0  # that the player offers, where a campaign lets it
State = Assignment.State
CLOSED = {
    State.RETURNED: _("This task was given back. What you had rated is kept."),
    State.EXPIRED: _("The time for this task has run out. What you had rated is kept."),
}
# Written out, because building it from querysets takes longer than the database takes to answer,
# and it is asked with every rating.
ITEMS = """
    SELECT i.position, i.degraded_text, c.text, c.filled, v.duration, v.codec, v.url, k.start,
        k."end"
    FROM hits_hititem i JOIN hits_caption c ON c.id = i.caption_id
    JOIN hits_video v ON v.id = c.video_id LEFT JOIN hits_clip k ON k.video_id = v.id
    WHERE i.hit_id = %s AND i.position BETWEEN %s AND %s
    ORDER BY i.position
"""
# A HIT shows a video on one page only, with all its captions one after the other.
PAGE = """
    SELECT MIN(i.position), MAX(i.position)
    FROM hits_hititem i JOIN hits_caption c ON c.id = i.caption_id
    WHERE i.hit_id = %(hit)s AND c.video_id = (
        SELECT shown.video_id FROM hits_hititem wanted JOIN hits_caption shown
            ON shown.id = wanted.caption_id
        WHERE wanted.hit_id = %(hit)s AND wanted.position = %(position)s)
"""
SUBMITTED = _("This task was submitted. Thank you!")


@dataclass(frozen=True)
class Item:
    """What may be shown of one position of a HIT."""

    position: int
    text: str
    seconds: float | None
    is_image: bool = False
    filled: list[FilledMark] | None = None
    clip: tuple[float, float] | None = None  # seconds of the file


def assignments_of(session: RatingSession) -> QuerySet[Assignment]:
    """The one row of a session, if it is still there."""
    return Assignment.objects.filter(
        pk=session.assignment, annotator=session.annotator, claimed_at=session.claimed_at
    )


def assignment_of(session: RatingSession) -> Assignment:
    """The assignment a session is about, with its campaign."""
    assignment = assignments_of(session).select_related("campaign").first()
    if assignment is None:
        raise LinkRefused(gettext("This task no longer exists."))
    return assignment


def session_of(assignment: Assignment) -> RatingSession:
    """What the links of whoever took this assignment say."""
    if assignment.annotator_id is None or assignment.claimed_at is None:
        raise ValueError("assignment must have been taken by somebody")
    return RatingSession(
        campaign=assignment.campaign_id,
        hit=assignment.hit_id,
        assignment=assignment.pk,
        annotator=assignment.annotator_id,
        asks_fluency=assignment.campaign.asks_fluency,
        since=since(assignment.claimed_at),
        fastest=FASTEST if assignment.campaign.offers_speed else 1.0,
        protocol=assignment.campaign.protocol,
        has_own=assignment.campaign.asked.has_own,
        together=bool(assignment.campaign.questions.get("together")),
        sees_filled=bool(assignment.sees_filled),
    )


def asked_in(session: RatingSession) -> AnnotationProtocol:
    """What its pages ask. Only campaigns with questions of their own are looked up."""
    if not session.has_own:
        return session.asked
    return Campaign.objects.get(pk=session.campaign).asked


def sees_filled(campaign: Campaign, annotator: Annotator) -> bool | None:
    """Whether somebody is to find marks filled in; None where a campaign has none."""
    if not campaign.asked.marks or not captions_filled(campaign).exists():
        return None
    return is_filled_for(campaign.slug, annotator.pseudonym, campaign.filling_control)


def is_experienced(assignment: Assignment) -> bool:
    """Whether its annotator needs no practice: has passed the tutorial, if the campaign has one of
    its own, or else has worked in this campaign before."""
    if assignment.campaign.tutorial:
        return tutorial_passed(assignment.campaign, assignment.annotator) is not None
    theirs = Assignment.objects.filter(
        campaign=assignment.campaign_id, annotator=assignment.annotator_id
    )
    return theirs.exclude(pk=assignment.pk).exists()


def tutorial_passed(campaign: Campaign, annotator: Annotator | None) -> TutorialPass | None:
    return TutorialPass.objects.filter(campaign=campaign, annotator=annotator).first()


def corrections_open() -> QuerySet[Correction]:
    """Videos that were sent back and not handed in again, of campaigns that go on."""
    waiting = Correction.objects.filter(done_at=None)
    return waiting.exclude(assignment__campaign__state=Campaign.State.CLOSED)


def sent_back(assignment: Assignment) -> dict[int, str]:
    """The remarks on videos to be corrected, each by the first position of its video's page."""
    if assignment.state not in Assignment.FINISHED:
        return {}
    mine = corrections_open().filter(
        assignment=assignment,
        video__captions__items__hit=F("assignment__hit"),
        video__captions__items__kind__in=OF_CAPTIONS,
    )
    pages = mine.annotate(first=Min("video__captions__items__position"))
    return dict(pages.order_by("first").values_list("first", "remark"))


def closed_sentence(assignment: Assignment, now: dt.datetime) -> str:
    """Why nothing more can be rated here; empty while the work goes on, or is to be corrected."""
    if assignment.state == State.ACTIVE:
        overdue = assignment.expires_at is not None and assignment.expires_at <= now
        return str(CLOSED[State.EXPIRED]) if overdue else ""
    if sent_back(assignment):
        return ""
    return str(CLOSED.get(State(assignment.state), SUBMITTED))


def rated_count(assignment_id: int) -> int:
    """How many captions are rated: they are rated in order, so the last one tells."""
    last = Rating.objects.filter(assignment_id=assignment_id).aggregate(last=Max("position"))
    return 0 if last["last"] is None else last["last"] + 1


def page_at(session: RatingSession, position: int) -> range:
    """The positions shown together with this one; none past the end of a HIT."""
    if not session.asked.whole_video:
        return range(position, position + 1)
    with connection.cursor() as cursor:
        cursor.execute(PAGE, {"hit": session.hit, "position": position})
        first, last = cursor.fetchone()
    return range(position, position) if first is None else range(first, last + 1)


def page_after(session: RatingSession, page: range) -> range:
    """The page that may be fetched while one is rated; nothing beyond it is handed out."""
    return page_at(session, page.stop)


def items_between(*, hit_id: int, first: int, last: int) -> list[Item]:
    """The items from position `first` to `last`."""
    with connection.cursor() as cursor:
        cursor.execute(ITEMS, [hit_id, first, last])
        rows = cursor.fetchall()
    return [
        Item(position, damaged or text, seconds, shows_image(codec, url), filled_shown(
            json.loads(filled or "null"), text, damaged), None if start is None else (start, end))
        for position, damaged, text, filled, seconds, codec, url, start, end in rows
    ]  # fmt: skip


def item_text(session: RatingSession, position: int) -> str:
    """The words shown at a position; empty where there is none."""
    items = items_between(hit_id=session.hit, first=position, last=position)
    return items[0].text if items else ""


def answers_given(*, assignment_id: int, page: range) -> dict[int, dict[str, Any]]:
    """The ratings that count for the items of a page, by position."""
    ratings = Rating.objects.filter(
        assignment_id=assignment_id, position__gte=page.start, position__lt=page.stop
    )
    given = ratings.order_by("revision").values_list("position", "score", "fluency", "answers")
    return {
        position: answers or {"score": score, "fluency": fluency}
        for position, score, fluency, answers in given
    }


def item_video(*, hit_id: int, position: int) -> Video:
    return Video.objects.get(captions__items__hit=hit_id, captions__items__position=position)


def hit_media_urls(hit_id: int) -> list[str]:
    """Addresses on other sites that the HIT's videos are played from."""
    videos = Video.objects.filter(captions__items__hit=hit_id).exclude(url="")
    return list(videos.values_list("url", flat=True).distinct())


def campaigns_rated(campaigns: QuerySet[Campaign]) -> QuerySet[Campaign]:
    """Those of them that are live still, with every HIT offered and nothing left to rate."""
    placed = Assignment.objects.filter(slot__isnull=False)
    standing = placed.exclude(state__in=Assignment.GIVEN_UP)
    hits = Hit.objects.filter(batch__campaign=OuterRef("pk"))
    return campaigns.filter(
        Exists(hits),
        ~Exists(hits.exclude(Exists(standing.filter(hit=OuterRef("pk"))))),
        ~Exists(placed.filter(campaign=OuterRef("pk"), state__in=UNFINISHED)),
        state=Campaign.State.LIVE,
    )
