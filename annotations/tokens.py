"""Signed links and tokens: all that an annotator's browser holds instead of a log-in.

The rating page lives in other sites' frames, where cookies are blocked. So every address and
every request carries what it is about, signed: an entry link says which campaign may be entered,
a group link which campaign may be joined, a turn who is working on which assignment, a receipt when
which item was handed out. None of them runs out by the clock: what they are about says whether
they still lead anywhere, so that a link works for as long as its launch is extended.

Rows are named by their numbers, and a database that was restored gives the numbers it has lost out
again. So a link also says when its row was made (`since`, in microseconds): the link of a lost HIT
does not open another's, and a page that was left open does not rate in somebody else's turn.
"""

from __future__ import annotations

import base64
import datetime as dt
from dataclasses import astuple, dataclass
from typing import TypeVar

from django.core import signing
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from annotations.errors import LinkRefused, UnknownItem
from hits.protocols import AnnotationProtocol, protocol_named

ENTRY_SALT = "annotations.entry"
GROUP_SALT = "annotations.group"
TURN_SALT = "annotations.turn"
RECEIPT_SALT = "annotations.receipt"
MEDIA_SALT = "annotations.media"
CODE_SALT = "annotations.completion"
TOGETHER = '{"together": true}'
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MILLISECOND = dt.timedelta(milliseconds=1)
MICROSECOND = dt.timedelta(microseconds=1)


@dataclass(frozen=True)
class Entry:
    """A way into a campaign: for one invited person, or for a crowd whose address names them."""

    campaign: int
    crowd: str
    invitation: int | None = None
    hit: int | None = None
    return_to: str = ""
    since: int = 0  # when the invitation, the HIT's batch or else the campaign was made


@dataclass(frozen=True)
class Group:
    """A way for anybody to join a campaign: which of its group links this is."""

    campaign: int
    version: int
    since: int = 0  # when the campaign was made


@dataclass(frozen=True)
class RatingSession:
    """One annotator at one assignment, what they are asked, and how fast videos may be played."""

    campaign: int
    hit: int
    assignment: int
    annotator: int
    asks_fluency: bool
    since: int  # when it was claimed
    fastest: float = 1.0
    protocol: str = "direct"
    has_own: bool = False  # questions, which the campaign has
    together: bool = False  # all captions of a video on one page, by the campaign's choice
    sees_filled: bool = False  # marks that stand there before anybody has marked

    @property
    def asked(self) -> AnnotationProtocol:
        """Without questions of the campaign's own."""
        own = TOGETHER if self.together else ""
        return protocol_named(self.protocol, fluency=self.asks_fluency, own=own)

    @property
    def claimed_at(self) -> dt.datetime:
        return EPOCH + self.since * MICROSECOND


@dataclass(frozen=True)
class Receipt:
    """An item handed out: which, when, and how long watching its video takes at least, 0 when
    that is not known."""

    position: int
    served_at: dt.datetime
    video_ms: int


Signed = TypeVar("Signed", Entry, Group, RatingSession)


def since(moment: dt.datetime) -> int:
    """A moment as links carry it."""
    return (moment - EPOCH) // MICROSECOND


def entry_sign(entry: Entry) -> str:
    return signing.dumps(astuple(entry), salt=ENTRY_SALT)


def entry_read(token: str) -> Entry:
    return _read(Entry, token, ENTRY_SALT)


def group_sign(group: Group) -> str:
    return signing.dumps(astuple(group), salt=GROUP_SALT)


def group_read(token: str) -> Group:
    return _read(Group, token, GROUP_SALT)


def session_sign(session: RatingSession) -> str:
    return signing.dumps(astuple(session), salt=TURN_SALT)


def session_read(token: str) -> RatingSession:
    return _read(RatingSession, token, TURN_SALT)


def receipt_sign(receipt: Receipt, *, assignment: int) -> str:
    """Proof of what was handed out when, that costs no row to keep.

    The video's length is masked: a caption and its repeat share it, and shall not show it.
    """
    served = (receipt.served_at - EPOCH) // MILLISECOND
    masked = receipt.video_ms ^ _mask(assignment, receipt.position)
    return _receipts(assignment).sign(f"{receipt.position}.{served}.{masked}")


def receipt_read(token: str, *, assignment: int) -> Receipt:
    """A receipt that was given to this very assignment."""
    try:
        position, served, masked = map(int, _receipts(assignment).unsign(token).split("."))
    except signing.BadSignature:
        raise UnknownItem(_("This caption does not belong to your task.")) from None
    video_ms = masked ^ _mask(assignment, position)
    return Receipt(position, EPOCH + served * MILLISECOND, video_ms)


def media_name(*, assignment: int, position: int) -> str:
    """A video's name in one item: not to be guessed, and unlike the same video's name elsewhere."""
    digest = salted_hmac(MEDIA_SALT, f"{assignment}.{position}", algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest[:15]).decode()


def media_position(name: str, *, assignment: int, size: int, first: int = 0) -> int:
    """Which of the assignment's items a video's name stands for; below 0, of the tutorial's."""
    for position in range(first, size):
        if constant_time_compare(media_name(assignment=assignment, position=position), name):
            return position
    raise UnknownItem(_("There is no such video in your task."))


def completion_code(assignment: int) -> str:
    """A short code only those see who finished the assignment."""
    digest = salted_hmac(CODE_SALT, str(assignment), algorithm="sha256").digest()
    return base64.b32encode(digest[:5]).decode()


def _mask(assignment: int, position: int) -> int:
    digest = salted_hmac(RECEIPT_SALT, f"{assignment}.{position}", algorithm="sha256").digest()
    # The first bit is set, so that every mask has as many digits as the next.
    return int.from_bytes(digest[:4]) | 1 << 31


def _receipts(assignment: int) -> signing.Signer:
    return signing.Signer(salt=f"{RECEIPT_SALT}.{assignment}")


def _read(kind: type[Signed], token: str, salt: str) -> Signed:
    """What was signed; an older release may have put something else into its links."""
    try:
        return kind(*signing.loads(token, salt=salt))
    except (signing.BadSignature, TypeError):
        raise LinkRefused(
            _("This link is not valid. Check that the whole address was copied.")
        ) from None
