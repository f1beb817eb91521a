"""Reports of videos that do not play as they should."""

from __future__ import annotations

from django.utils.translation import gettext as _

from annotations.errors import InvalidPost
from annotations.models import VideoProblem
from annotations.posts import ProblemPost
from annotations.selectors.work import assignment_of, item_video
from annotations.tokens import RatingSession, receipt_read


def problem_report(*, session: RatingSession, post: ProblemPost) -> VideoProblem:
    """Write it down once: the same report again replaces its remark."""
    if post.kind not in VideoProblem.Kind.values:
        raise InvalidPost(_("Choose what is wrong with the video."))
    position = receipt_read(post.receipt, assignment=session.assignment).position
    problem, _is_new = VideoProblem.objects.update_or_create(
        assignment=assignment_of(session),
        video=item_video(hit_id=session.hit, position=position),
        kind=post.kind,
        defaults={"remark": post.remark.replace("\0", "")},
    )
    return problem
