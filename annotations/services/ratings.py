"""Saving a rating: one statement that checks, orders and inserts. Reports of faulty videos, too."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.errors import InvalidPost, OutOfOrder, TooManyChanges, WorkClosed
from annotations.models import Assignment, Mark, Rating, VideoProblem
from annotations.posts import AnswerPost, ProblemPost, RatingPost
from annotations.selectors.work import (
    SUBMITTED,
    asked_in,
    assignment_of,
    closed_sentence,
    item_text,
    item_video,
    page_at,
    rated_count,
    sent_back,
)
from annotations.tokens import RatingSession, Receipt, receipt_read
from hits.models import Video
from hits.protocols import AnnotationProtocol

# The player's clock and the probe's differ by a few frames.
SLACK_MS = 500
GIVEN = [
    "revision", "key", "score", "fluency", "answers", "served_at", "created_at", "is_unwatched",
    "client_elapsed_ms", "client_first_touch_ms", "client_last_touch_ms", "client_moves",
    "client_plays", "client_watched_ms", "client_hidden_ms",
]  # fmt: skip
# One statement, so that no other request can come between a check and the insert. It inserts
# nothing when the work is closed, when the caption before is not rated, or when the key or the
# revision is there already. Kept plain, because PostgreSQL plans it anew for every rating and
# planning is most of what it costs: hence the facts in turn and receipt, and no joins.
STATEMENT = f"""
    INSERT INTO annotations_rating (
        campaign_id, assignment_id, item_id, annotator_id, caption_id, kind, original_id,
        position, {", ".join(GIVEN)}
    )
    SELECT %(campaign)s, %(assignment)s, i.id, %(annotator)s, i.caption_id, i.kind, i.original_id,
        i.position, {", ".join(f"%({name})s" for name in GIVEN)}
    FROM hits_hititem i
    WHERE i.hit_id = %(hit)s AND i.position = %(position)s
        AND EXISTS (
            SELECT 1 FROM annotations_assignment a
            WHERE a.id = %(assignment)s AND a.annotator_id = %(annotator)s
                AND a.claimed_at = %(claimed_at)s AND {{open}})
        AND (%(position)s = 0 OR EXISTS (
            SELECT 1 FROM annotations_rating r
            WHERE r.assignment_id = %(assignment)s AND r.position = %(position)s - 1))
    ON CONFLICT DO NOTHING
    RETURNING id
"""  # noqa: S608 - only our own column names are put in
INSERT = STATEMENT.format(open="a.state = 'active' AND a.expires_at > %(created_at)s")
# Work that was handed in is open where its video was sent back.
CORRECT = STATEMENT.format(
    open="""EXISTS (
        SELECT 1 FROM annotations_correction b JOIN hits_caption c ON c.video_id = b.video_id
        WHERE b.assignment_id = a.id AND b.done_at IS NULL AND c.id = i.caption_id)"""
)
KEY = Rating._meta.get_field("key")
ANSWERS = Rating._meta.get_field("answers")
Posted = RatingPost | AnswerPost
ATTEMPTS = 5
# Nobody weighs a caption so often: whoever goes on is a program.
MAX_REVISIONS = 1_000


@dataclass(frozen=True)
class Saved:
    """A rating that is in the database, and how many captions are rated with it."""

    position: int
    revision: int
    done: int


def rating_submit(*, session: RatingSession, post: Posted, now: dt.datetime | None = None) -> Saved:
    """Save a rating, or find that this very post was saved before.

    No transaction around it, unless it has marks: the one statement is one.
    """
    now = now or timezone.now()
    receipt = receipt_read(post.receipt, assignment=session.assignment)
    asked = asked_in(session)
    text = item_text(session, receipt.position) if asked.marks else ""
    if objection := asked.objection(post.answers, text):
        raise InvalidPost(_(objection.sentence).format(**objection.values))
    values = _values(session, post, receipt, now)
    marks = _marks(asked, post)
    if _insert(values, marks):
        return Saved(receipt.position, 1, done=receipt.position + 1)
    return _save_otherwise(session, post, receipt, now, values, marks)


def _insert(values: dict[str, Any], marks: list[Mark], statement: str = INSERT) -> bool:
    """Whether the rating was inserted; its marks are, too, or neither."""
    if not marks:
        return _insert_rating(values, statement) is not None
    with transaction.atomic():
        rating = _insert_rating(values, statement)
        if rating is not None:
            for mark in marks:
                mark.rating_id = rating
            Mark.objects.bulk_create(marks)
    return rating is not None


def _insert_rating(values: dict[str, Any], statement: str) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
    return row[0] if row else None


def _marks(asked: AnnotationProtocol, post: Posted) -> list[Mark]:
    """Rows of the marks among the answers, which still lack their rating."""
    return [
        Mark(question=question.name, start=start, end=end, label=label)
        for question in asked.marks
        for start, end, label in post.answers[question.name]
    ]


def _values(
    session: RatingSession, post: Posted, receipt: Receipt, now: dt.datetime
) -> dict[str, Any]:
    adapt, answers = connection.ops.adapt_datetimefield_value, post.answers
    is_numbers = isinstance(post, RatingPost)
    return {f"client_{name}": value for name, value in post.evidence} | {
        "campaign": session.campaign,
        "hit": session.hit,
        "assignment": session.assignment,
        "annotator": session.annotator,
        "claimed_at": adapt(session.claimed_at),
        "position": receipt.position,
        "revision": 1,
        "key": KEY.get_db_prep_value(post.key, connection),
        "score": answers.get("score"),
        "fluency": answers.get("fluency"),
        "answers": None if is_numbers else ANSWERS.get_db_prep_value(answers, connection),
        "served_at": adapt(receipt.served_at),
        "created_at": adapt(now),
        "is_unwatched": _is_unwatched(post, receipt, now),
    }


def _is_unwatched(post: Posted, receipt: Receipt, now: dt.datetime) -> bool:
    """Whether the video could not have been seen in the time there was.

    Two clocks, and neither may say that it was too short: the server's cannot be forged but runs
    on while a rating waits for a connection, the browser's is the reverse.
    """
    server_ms = (now - receipt.served_at) / dt.timedelta(milliseconds=1)
    return min(server_ms, post.evidence.elapsed_ms) + SLACK_MS < receipt.video_ms


def _save_otherwise(
    session: RatingSession,
    post: Posted,
    receipt: Receipt,
    now: dt.datetime,
    values: dict[str, Any],
    marks: list[Mark],
) -> Saved:
    """The rarer cases: a repeated post, a change of mind, or something to refuse."""
    ratings = Rating.objects.filter(assignment=session.assignment)
    earlier = ratings.filter(position=receipt.position).order_by("revision")
    for _attempt in range(ATTEMPTS):
        saved = ratings.filter(key=post.key).first()
        if saved is not None:
            return Saved(saved.position, saved.revision, done=rated_count(session.assignment))
        assignment = assignment_of(session)
        done = _rated_unless_refused(session, assignment, receipt, now)
        statement = INSERT if assignment.state == Assignment.State.ACTIVE else CORRECT
        given = list(earlier.values_list("revision", "is_unwatched"))
        revision = given[-1][0] + 1 if given else 1
        if revision > MAX_REVISIONS:
            raise TooManyChanges(
                _(
                    "Caption {number} was rated {times} times, which is the maximum. The "
                    "last of these ratings counts."
                ).format(number=receipt.position + 1, times=f"{MAX_REVISIONS:,}")
            )
        # Who watched the video the first time need not watch it again to change their mind.
        unwatched = values["is_unwatched"] and (not given or given[0][1])
        changes = {"revision": revision, "is_unwatched": unwatched}
        if _insert(values | changes, marks, statement):
            return Saved(receipt.position, revision, done=max(done, receipt.position + 1))
    # Only other posts for the same caption, in the same instant, can lead here.
    raise OutOfOrder(_("This caption is being rated in another window."))


def _rated_unless_refused(
    session: RatingSession, assignment: Assignment, receipt: Receipt, now: dt.datetime
) -> int:
    """How many captions are rated, when only a revision was in the statement's way."""
    if sentence := closed_sentence(assignment, now):
        raise WorkClosed(sentence)
    remarks = sent_back(assignment)
    if remarks and page_at(session, receipt.position).start not in remarks:
        raise WorkClosed(str(SUBMITTED))
    done = rated_count(session.assignment)
    if receipt.position > done:
        raise OutOfOrder(_("Caption {number} comes first.").format(number=done + 1))
    return done


def problem_report(*, session: RatingSession, post: ProblemPost) -> VideoProblem:
    """Write it down once: the same report again replaces its remark, and is news again."""
    if post.kind not in VideoProblem.Kind.values:
        raise InvalidPost(_("Choose what is wrong with the video."))
    position = receipt_read(post.receipt, assignment=session.assignment).position
    problem, _is_new = VideoProblem.objects.update_or_create(
        assignment=assignment_of(session),
        video=item_video(hit_id=session.hit, position=position),
        kind=post.kind,
        defaults={"remark": post.remark.replace("\0", ""), "settled_at": None},
    )
    return problem


def problems_settle(*, video: Video, newest: int) -> int:
    """An organiser has dealt with the reports up to that one; what came in since stays open."""
    reports = VideoProblem.objects.filter(video=video, settled_at=None, pk__lte=newest)
    return reports.update(settled_at=timezone.now())
