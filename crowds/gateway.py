"""What every crowd can be asked to do, in words that belong to none of them.

The platform knows a *spec* (a batch, or a part of one, to be published at once), its *places* (one
HIT each, for a number of people), and the *submissions* people make. A gateway turns these into a
crowd's own calls. It holds no rows and remembers nothing between calls: what happened is written
down by the caller (`crowds.services.outbox`), who also decides whether to try again.

Rules every gateway keeps:

- Money is `Decimal` in the major unit of `Facts.currency`; ids are `str`; times are aware UTC.
- Every outward act takes `key`, at most 64 characters of ``[0-9A-Za-z_-]``, the same for every
  attempt at the same act. A crowd with idempotency tokens is given it; others may ignore it.
- An act that turns out to be done already is a success, not a fault: approving what is approved,
  expiring what is expired, closing what is closed, enlisting who is on the list. The opposite state
  (approving what was rejected, without `overrule`) is a `PermanentFault`.
- Only `CrowdError` leaves a gateway; programming errors may propagate, foreign ones may not.
- Reading never changes anything, and is always safe to repeat: it raises no `UnclearOutcome`.
- Waiting for a slow answer is limited (about 20 s a call); a gateway may repeat a call a few times
  on its own only where the repetition cannot do the act twice.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from daplatform.errors import DomainError

KEY_LENGTH = 64


class CrowdError(DomainError):
    """A crowd did not do what was asked; its text is a sentence for the organiser."""


class TransientFault(CrowdError):
    """Nothing was done, and the same call may succeed later: throttling, 5xx, no connection.

    Raised only when it is certain that the act was not carried out, or when repeating the call
    with the same key cannot carry it out twice. ``retry_after`` is what the crowd asked for,
    in seconds.
    """

    def __init__(self, sentence: str, *, retry_after: float | None = None) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


class PermanentFault(CrowdError):
    """Nothing was done, and repeating the same call will not help: refused, or not allowed."""


class NotFound(PermanentFault):
    """The crowd knows nothing by this id."""


class UnclearOutcome(CrowdError):
    """The act may or may not have been carried out: the answer was lost after the call was sent.

    The caller looks (`find`, `submission`, `find_bonus`) before it tries again.
    """


class PublicationStatus(StrEnum):
    """How far a publication is."""

    OPEN = "open"  # people can take places
    EXPIRED = "expired"  # nobody new can; can be opened again
    CLOSED = "closed"  # for good


class SubmissionStatus(StrEnum):
    """How far a submission is. Nothing is owed for the last three."""

    WORKING = "working"
    SUBMITTED = "submitted"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETURNED = "returned"
    TIMED_OUT = "timed_out"
    SCREENED_OUT = "screened_out"


@dataclass(frozen=True)
class Facts:
    """What is always true of a crowd, so that pages and services need not know which it is."""

    name: str  # as in `crowds.registry.MODULES`
    label: str
    currency: str = "USD"
    hits_per_publication: int | None = None  # HITs one `publish` can hold; None for any number
    people_per_hit: int | None = None  # of one HIT in one publication, before the fee rises
    approvals_per_call: int = 1
    lowest_reward: Decimal = Decimal("0")
    bonus_fee_rate: Decimal = Decimal("0")  # of a bonus, rounded up to a cent
    lowest_hourly: Decimal | None = None  # hourly pay below which the crowd, or fairness, objects
    longest_auto_approval: dt.timedelta | None = None
    rejection_categories: Mapping[str, str] = field(default_factory=dict)  # value -> label
    shortest_reason: int = 1  # characters a rejection's reason must have
    reports_submissions: bool = True  # False: our own rows are all there is
    pays: bool = True  # False: the organiser pays people outside the platform
    can_message: bool = True
    needs_https: bool = True  # pages and media must be https


@dataclass(frozen=True)
class Requirements:
    """Who may take part, as far as crowds agree on it. Empty asks for nothing."""

    approval_rate: int | None = None  # per cent of earlier work approved, at least
    approved: int | None = None  # pieces of earlier work approved, at least
    countries: tuple[str, ...] = ()  # ISO 3166 alpha-2, upper case


@dataclass(frozen=True)
class Codes:
    """Completion codes, for crowds that bring people back by a code."""

    done: str
    no_consent: str
    screened_out: str


@dataclass(frozen=True)
class HitSpec:
    """One HIT and how many people it is offered to."""

    reference: str  # ours; unique in the spec, at most 80 characters
    url: str  # absolute; the gateway appends the crowd's own parameters where the crowd does not
    people: int


@dataclass(frozen=True)
class Extension:
    """A place as it shall be afterwards, and how many of its people are new."""

    place: HitSpec  # `people` is the new total, for crowds that set instead of add
    more: int


@dataclass(frozen=True)
class PublicationSpec:
    """What is put out at once: at most `Facts.places_per_offer` places."""

    reference: (
        str  # ours, unique for ever, at most 200 characters; the crowd keeps it, `find` finds it
    )
    title: str
    description: str
    reward: Decimal  # for each finished place, in `Facts.currency`
    minutes_expected: int
    minutes_allowed: int
    lifetime: dt.timedelta  # how long people can take places
    auto_approval: dt.timedelta  # after which the crowd approves by itself if we never decide
    places: tuple[HitSpec, ...]
    keywords: tuple[str, ...] = ()
    requirements: Requirements = Requirements()
    only: tuple[str, ...] = ()  # audiences of which one must be a member (of any of them)
    without: tuple[str, ...] = ()  # audiences nobody of which may take part
    codes: Codes | None = None

    @property
    def people(self) -> int:
        return sum(place.people for place in self.places)


@dataclass(frozen=True)
class Price:
    """What a publication costs if every place is taken and paid, exact to the cent."""

    reward: Decimal
    fee: Decimal  # with taxes on the fee

    @property
    def total(self) -> Decimal:
        return self.reward + self.fee


@dataclass(frozen=True)
class PublicationReport:
    """A publication as the crowd has it."""

    external_id: str
    reference: str  # the spec's
    status: PublicationStatus = PublicationStatus.OPEN
    places: Mapping[str, str] = field(default_factory=dict)  # our place reference -> external id
    people: int = 0  # over all places, as the crowd counts
    address: str = ""  # where the organiser, or a person of the crowd, sees it


@dataclass(frozen=True)
class SubmissionReport:
    """Somebody's turn, as the crowd reports it."""

    external_id: str
    publication: str  # external id
    person: str  # external id
    status: SubmissionStatus
    place: str = ""  # our place reference, where the crowd knows it
    started_at: dt.datetime | None = None
    submitted_at: dt.datetime | None = None
    auto_approval_at: dt.datetime | None = None
    code: str = ""  # the completion code, or what the page posted, where there is one


@dataclass(frozen=True)
class Bonus:
    """Money on top, for one submission."""

    submission: str
    publication: str
    person: str
    amount: Decimal
    reason: str  # shown to the person


@dataclass(frozen=True)
class Payment:
    """A bonus as the crowd lists it, which need not say what it was for."""

    submission: str
    amount: Decimal


class Gateway(Protocol):
    """One crowd. See the module's text for the rules that hold for every method."""

    @property
    def facts(self) -> Facts: ...

    # Before anything is sent ------------------------------------------------------------------
    def check(self, spec: PublicationSpec) -> None:
        """Raise PermanentFault, in one sentence, if this spec could not be published.

        Checks the spec against the crowd's documented limits (length of title, reward, lifetime,
        https, …) first, without a call; then that endpoint and credentials work and, where the
        crowd shows a balance, that it covers the price. Changes nothing.
        """

    def price(self, spec: PublicationSpec) -> Price:
        """What publishing would cost; from the crowd's own calculator where there is one."""

    def balance(self) -> Decimal | None:
        """Money at hand; None where the crowd does not tell."""

    def completion_address(self, code: str) -> str:
        """Where the browser goes at the end, with this code; empty where the page posts a form."""

    # Putting out and taking back --------------------------------------------------------------
    def publish(self, spec: PublicationSpec, *, key: str) -> PublicationReport:
        """Publish the spec: when this returns, people can take its places.

        Where that takes several calls and an earlier attempt got half-way (a draft with this
        `spec.reference`), go on with what is there. Raises UnclearOutcome when it may be out.
        """

    def find(self, reference: str) -> PublicationReport | None:
        """The publication with this reference, whatever its status; None if there is none.

        A draft nobody can see is none.
        """

    def extend(
        self, publication: str, extensions: Sequence[Extension], *, key: str
    ) -> PublicationReport:
        """Offer places of the publication to more people than before, all at once.

        A crowd with one place per publication gets one extension. A place it does not have yet is
        added where the crowd can do that, and is a PermanentFault elsewhere. Opens an
        expired publication again. Raises UnclearOutcome only when a repetition with the same key
        might add twice; the caller then compares `find(…).people` with what it wants.
        """

    def expire(self, publication: str, *, key: str) -> None:
        """Let nobody new begin. Who is at work may finish."""

    def reopen(self, publication: str, *, lifetime: dt.timedelta, key: str) -> None:
        """Undo `expire`."""

    def close(self, publication: str, *, key: str) -> None:
        """End it for good, as tidily as the crowd allows; all submissions are decided by then.

        Raises TransientFault while somebody is still at work or undecided there.
        """

    # What people did --------------------------------------------------------------------------
    def publications(self, prefix: str) -> Iterator[PublicationReport]:
        """Everything of ours whose reference begins with `prefix`, for reconciling."""

    def submissions(
        self, publications: Collection[str], *, undecided: bool = False
    ) -> Iterator[SubmissionReport]:
        """The submissions of these publications, page by page as they are read.

        With ``undecided`` the gateway may leave out those that are approved or rejected, if that
        saves calls. An unknown publication has no submissions.
        """

    def submission(self, external_id: str) -> SubmissionReport:
        """One submission; raises NotFound. Answers whether query parameters were forged."""

    # Deciding ---------------------------------------------------------------------------------
    def approve(
        self, publication: str, submissions: Sequence[str], *, key: str, overrule: bool = False
    ) -> None:
        """Pay for these, at most `Facts.approvals_per_call` of one publication.

        With ``overrule`` those that were rejected are approved after all.
        """

    def reject(
        self, publication: str, submission: str, *, reason: str, category: str = "", key: str
    ) -> None:
        """Refuse to pay. The caller has kept to `rejection_categories` and `shortest_reason`."""

    def bonus(self, bonus: Bonus, *, key: str) -> None:
        """Pay on top. Never repeated by the gateway itself, unless a token makes that harmless."""

    def find_bonus(self, bonus: Bonus, *, key: str) -> bool | None:
        """Whether this very bonus was paid; None when the crowd cannot tell: a person decides."""

    def bonuses(self, publications: Collection[str]) -> Iterator[Payment]:
        """All bonuses paid for work of these publications, for reconciling."""

    # People -----------------------------------------------------------------------------------
    def message(self, people: Sequence[str], *, subject: str, text: str, key: str) -> None:
        """Write to people, any number of them."""

    def enlist(self, audience: str, people: Sequence[str], *, key: str) -> None:
        """Put people on the list of this name (ours, at most 80 characters), making it if needed.

        Lists are what `PublicationSpec.only` and `without` name: who took part already, who passed
        quality control, who is not invited again. Being on a list never harms an account.
        """

    def delist(self, audience: str, people: Sequence[str], *, key: str) -> None:
        """Take people off the list. Nobody needs to have been on it."""
