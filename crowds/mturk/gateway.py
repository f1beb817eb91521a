"""Mechanical Turk as a `Gateway`. One HIT is one publication: more it cannot put out at once."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Final

from crowds.gateway import (
    Bonus,
    Extension,
    Facts,
    Payment,
    PermanentFault,
    Price,
    PublicationReport,
    PublicationSpec,
    PublicationStatus,
    SubmissionReport,
    SubmissionStatus,
    TransientFault,
    UnclearOutcome,
)
from crowds.mturk.account import Account
from crowds.mturk.audiences import Audiences
from crowds.mturk.calling import Caller, Missing, Refused
from crowds.mturk.checks import LONGEST_AUTO_APPROVAL, check_spec
from crowds.mturk.listing import Listing
from crowds.mturk.money import CENT, FEE, PEOPLE_BEFORE_HIGH_FEE, price_of
from crowds.mturk.publishing import Publishing
from crowds.mturk.wording import (
    answered_at,
    marked_reason,
    publication_of,
    references_of,
    submission_of,
)

log = logging.getLogger(__name__)
LONG_AGO: Final = dt.datetime(2015, 1, 1, tzinfo=dt.UTC)
# For how long at least a HIT is open again that had expired and is offered to more people.
REOPENED_FOR: Final = dt.timedelta(days=1)
LETTERS_PER_CALL: Final = 100
# The federal minimum wage of the United States, where most workers live.
LOWEST_HOURLY: Final = Decimal("7.25")


class MTurkGateway:
    """All that `crowds.gateway.Gateway` asks for."""

    def __init__(self, account: Account, caller: Caller | None = None) -> None:
        self.account = account
        self._call = caller or Caller(account)
        self._audiences = Audiences(self._call)
        self._publishing = Publishing(self._call, self._audiences)
        self._listing = Listing(self._call)

    @property
    def facts(self) -> Facts:
        return Facts(
            name="mturk",
            label="Mechanical Turk",
            hits_per_publication=1,
            people_per_hit=PEOPLE_BEFORE_HIGH_FEE,
            lowest_reward=CENT,
            bonus_fee_rate=FEE,
            lowest_hourly=LOWEST_HOURLY,
            longest_auto_approval=LONGEST_AUTO_APPROVAL,
            needs_https=not self.account.is_local,
        )

    # Before anything is sent --------------------------------------------------------------------

    def check(self, spec: PublicationSpec) -> None:
        check_spec(spec, local=self.account.is_local)
        needed, available = price_of(spec).total, self.balance()
        if needed > available:
            raise PermanentFault(
                f"This costs ${needed}, but the account at Mechanical Turk has ${available}."
            )

    def price(self, spec: PublicationSpec) -> Price:
        return price_of(spec)

    def balance(self) -> Decimal:
        return Decimal(self._call("get_account_balance")["AvailableBalance"])

    def completion_address(self, code: str) -> str:
        return ""

    # Putting out and taking back ----------------------------------------------------------------

    def publish(self, spec: PublicationSpec, *, key: str) -> PublicationReport:
        check_spec(spec, local=self.account.is_local)
        hit, now = self._publishing.create(spec, key)
        return publication_of(hit, site=self.account.worker_site, now=now)

    def find(self, reference: str) -> PublicationReport | None:
        return next(
            (one for one in self.publications(reference) if one.reference == reference), None
        )

    def extend(
        self, publication: str, extensions: Sequence[Extension], *, key: str
    ) -> PublicationReport:
        known = self._read(publication)
        if [each.place.reference for each in extensions] != list(known.places):
            raise PermanentFault("A HIT on Mechanical Turk cannot take another HIT's place.")
        # Counted from what is there, so that a repetition adds nothing.
        missing = extensions[0].place.people - known.people
        if known.status is PublicationStatus.EXPIRED:
            self.reopen(publication, lifetime=REOPENED_FOR, key=key)
        if missing > 0:
            self._publishing.extend(publication, missing, key)
        return self._read(publication)

    def expire(self, publication: str, *, key: str) -> None:
        self._expire_at(publication, LONG_AGO)

    def reopen(self, publication: str, *, lifetime: dt.timedelta, key: str) -> None:
        now = answered_at(self._call("get_hit", HITId=publication))
        self._expire_at(publication, now + lifetime)

    def close(self, publication: str, *, key: str) -> None:
        if not self._delete(publication):
            self.expire(publication, key=key)
            if not self._delete(publication):
                raise TransientFault(
                    f"HIT {publication} is still in progress or awaits a decision."
                )

    def _delete(self, publication: str) -> bool:
        """Only a HIT can go that nobody can take, or has, or waits for a decision about."""
        try:
            self._call("delete_hit", HITId=publication)
        except Missing:
            raise
        except Refused:
            return self._read(publication).status is PublicationStatus.CLOSED
        return True

    def _expire_at(self, publication: str, moment: dt.datetime) -> None:
        try:
            self._call("update_expiration_for_hit", HITId=publication, ExpireAt=moment)
        except Missing:
            raise
        except Refused:
            if moment > LONG_AGO or self._read(publication).status is not PublicationStatus.CLOSED:
                raise

    def _read(self, publication: str) -> PublicationReport:
        answer = self._call("get_hit", HITId=publication)
        return publication_of(answer["HIT"], site=self.account.worker_site, now=answered_at(answer))

    # What people did ----------------------------------------------------------------------------

    def publications(self, prefix: str) -> Iterator[PublicationReport]:
        for hit, now in self._listing.hits():
            if references_of(hit)[0].startswith(prefix):
                yield publication_of(hit, site=self.account.worker_site, now=now)

    def submissions(
        self, publications: Collection[str], *, undecided: bool = False
    ) -> Iterator[SubmissionReport]:
        return self._listing.submissions(publications, undecided=undecided)

    def submission(self, external_id: str) -> SubmissionReport:
        """Work that is not handed in exists, and that is all Mechanical Turk tells of it."""
        try:
            answer = self._call("get_assignment", AssignmentId=external_id)
        except Missing:
            raise
        except Refused as refusal:
            if refusal.code.endswith("InvalidAssignmentState"):
                return SubmissionReport(external_id, "", "", SubmissionStatus.WORKING)
            raise
        return submission_of(answer["Assignment"], place=references_of(answer["HIT"])[1])

    # Deciding -----------------------------------------------------------------------------------

    def approve(
        self, publication: str, submissions: Sequence[str], *, key: str, overrule: bool = False
    ) -> None:
        for one in submissions:
            self._decide(
                SubmissionStatus.APPROVED,
                "approve_assignment",
                AssignmentId=one,
                OverrideRejection=overrule,
            )

    def reject(
        self, publication: str, submission: str, *, reason: str, category: str = "", key: str
    ) -> None:
        self._decide(
            SubmissionStatus.REJECTED,
            "reject_assignment",
            AssignmentId=submission,
            RequesterFeedback=reason,
        )

    def _decide(self, wanted: SubmissionStatus, operation: str, **request: str | bool) -> None:
        """What was decided so before is decided so now."""
        try:
            self._call(operation, **request)
        except Missing:
            raise
        except Refused:
            if self.submission(str(request["AssignmentId"])).status is not wanted:
                raise

    def bonus(self, bonus: Bonus, *, key: str) -> None:
        try:
            self._call.with_token(
                "send_bonus",
                WorkerId=bonus.person,
                AssignmentId=bonus.submission,
                BonusAmount=f"{bonus.amount:.2f}",
                Reason=marked_reason(bonus.reason, key),
                UniqueRequestToken=key,
            )
        except Refused as refusal:
            if not refusal.is_repetition:
                raise

    def find_bonus(self, bonus: Bonus, *, key: str) -> bool:
        paid = self._call.pages(
            "list_bonus_payments", "BonusPayments", AssignmentId=bonus.submission
        )
        # Two equal bonuses for one piece of work differ in their marks; the listing has no tokens.
        mine = marked_reason(bonus.reason, key)
        return any(one["Reason"] == mine and one["WorkerId"] == bonus.person for one in paid)

    def bonuses(self, publications: Collection[str]) -> Iterator[Payment]:
        for hit in publications:
            yield from self._listing.bonuses(hit)

    # People -------------------------------------------------------------------------------------

    def message(self, people: Sequence[str], *, subject: str, text: str, key: str) -> None:
        for start in range(0, len(people), LETTERS_PER_CALL):
            self._write(people[start : start + LETTERS_PER_CALL], subject, text, written=start)

    def _write(self, people: Sequence[str], subject: str, text: str, *, written: int) -> None:
        try:
            answer = self._call.once(
                "notify_workers", Subject=subject, MessageText=text, WorkerIds=list(people)
            )
        except (TransientFault, PermanentFault) as fault:
            if not written:
                raise
            raise UnclearOutcome(f"Only the first {written} were written to: {fault}") from fault
        if failures := answer.get("NotifyWorkersFailureStatuses", []):
            log.warning("Mechanical Turk could not write to %d people", len(failures))

    def enlist(self, audience: str, people: Sequence[str], *, key: str) -> None:
        self._audiences.enlist(audience, people)

    def delist(self, audience: str, people: Sequence[str], *, key: str) -> None:
        self._audiences.delist(audience, people)


@lru_cache(maxsize=4)
def gateway_to(account: Account, *, hurried: bool = False) -> MTurkGateway:
    """Clients take a tenth of a second to make and keep connections: each account's is kept."""
    return MTurkGateway(account, Caller(account, hurried=hurried))
