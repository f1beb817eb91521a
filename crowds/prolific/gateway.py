"""Prolific behind the protocol every crowd keeps."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from typing import cast

from crowds.gateway import (
    Bonus,
    Extension,
    Facts,
    NotFound,
    Payment,
    PermanentFault,
    Price,
    PublicationReport,
    PublicationSpec,
    SubmissionReport,
)
from crowds.prolific.account import Account
from crowds.prolific.checks import (
    AUTO_APPROVAL,
    REJECTION_CATEGORIES,
    rejection_check,
    spec_check,
)
from crowds.prolific.client import Client, client_to, rows
from crowds.prolific.filters import group_filters, requirement_filters
from crowds.prolific.money import CENT, MINIMUM_PER_HOUR, cents, from_cents
from crowds.prolific.shapes import (
    REJECTION_LETTERS,
    CostQuestion,
    Filter,
    RejectionCategory,
)
from crowds.prolific.studies import DRAFT, Audiences, Studies
from crowds.prolific.submissions import APPROVALS_PER_CALL, Submissions


class ProlificGateway:
    """One Prolific workspace. `key` is not used: Prolific takes no idempotency tokens."""

    def __init__(self, account: Account, client: Client | None = None) -> None:
        self.account = account
        self._client = client or client_to(account)
        self._studies = Studies(self._client, account)
        self._submissions = Submissions(self._client)
        self._audiences = Audiences(self._client, account.workspace)

    @property
    def facts(self) -> Facts:
        return Facts(
            name="prolific",
            label="Prolific",
            currency=self.account.currency,
            approvals_per_call=APPROVALS_PER_CALL,
            lowest_reward=CENT,
            bonus_fee_rate=self.account.fee_rate,
            lowest_hourly=MINIMUM_PER_HOUR.get(self.account.currency),
            longest_auto_approval=AUTO_APPROVAL,
            rejection_categories=REJECTION_CATEGORIES,
            shortest_reason=REJECTION_LETTERS,
            needs_https=not self.account.rehearses,
        )

    # Before anything is sent ------------------------------------------------------------------
    def check(self, spec: PublicationSpec) -> None:
        spec_check(spec, self.account)
        at_hand, price = self.balance(), self.price(spec)
        if at_hand < price.total:
            currency = self.account.currency
            raise PermanentFault(
                f"The offer costs {price.total} {currency}, but the Prolific workspace has "
                f"{at_hand} {currency}."
            )
        self._audiences.ids_to_admit(spec.only)

    def price(self, spec: PublicationSpec) -> Price:
        question = CostQuestion(reward=cents(spec.reward), total_available_places=spec.people)
        answer = self._client.settle("POST", "/api/v1/study-cost-calculator/", question)
        reward = spec.reward * spec.people
        return Price(reward=reward, fee=from_cents(answer["total_cost"]) - reward)

    def balance(self) -> Decimal:
        """What is not promised to running studies; raises when it is in another currency."""
        try:
            answer = self._client.read(f"/api/v1/workspaces/{self.account.workspace}/balance/")
        except NotFound:
            raise PermanentFault("Prolific has no such workspace (PROLIFIC_WORKSPACE).") from None
        if answer["currency_code"] != self.account.currency:
            raise PermanentFault(
                f"The Prolific workspace pays in {answer['currency_code']}, "
                f"PROLIFIC_CURRENCY says {self.account.currency}."
            )
        return from_cents(answer["available_balance"])

    def completion_address(self, code: str) -> str:
        return self.account.completion_page(code)

    # Putting out and taking back --------------------------------------------------------------
    def publish(self, spec: PublicationSpec, *, key: str) -> PublicationReport:
        spec_check(spec, self.account)
        return self._studies.publish(spec, self._filters(spec))

    def find(self, reference: str) -> PublicationReport | None:
        study = self._studies.find(reference)
        if study is None or study["status"] == DRAFT:
            return None
        return self._studies.publication(study)

    def extend(
        self, publication: str, extensions: Sequence[Extension], *, key: str
    ) -> PublicationReport:
        return self._studies.extend(publication, [extension.place for extension in extensions])

    def expire(self, publication: str, *, key: str) -> None:
        self._studies.pause(publication)

    def reopen(self, publication: str, *, lifetime: dt.timedelta, key: str) -> None:
        self._studies.resume(publication)

    def close(self, publication: str, *, key: str) -> None:
        self._studies.stop(publication)

    # What people did --------------------------------------------------------------------------
    def publications(self, prefix: str) -> Iterator[PublicationReport]:
        for study in self._studies.published():
            if (study.get("internal_name") or "").startswith(prefix):
                yield self._studies.publication(study)

    def submissions(
        self, publications: Collection[str], *, undecided: bool = False
    ) -> Iterator[SubmissionReport]:
        for publication in publications:
            yield from self._submissions.of_study(publication, undecided=undecided)

    def submission(self, external_id: str) -> SubmissionReport:
        return self._submissions.get(external_id)

    # Deciding ---------------------------------------------------------------------------------
    def approve(
        self, publication: str, submissions: Sequence[str], *, key: str, overrule: bool = False
    ) -> None:
        if overrule:
            for submission in submissions:
                self._submissions.unreject(submission)
        self._submissions.approve(publication, submissions)

    def reject(
        self, publication: str, submission: str, *, reason: str, category: str = "", key: str
    ) -> None:
        rejection_check(category, reason)
        self._submissions.reject(submission, cast(RejectionCategory, category), reason)

    def bonus(self, bonus: Bonus, *, key: str) -> None:
        if bonus.amount < CENT or bonus.amount != bonus.amount.quantize(CENT):
            raise PermanentFault(f"A bonus of {bonus.amount} cannot be paid: use whole cents.")
        self._submissions.pay_bonus(bonus)

    def find_bonus(self, bonus: Bonus, *, key: str) -> bool | None:
        """Prolific lists paid sums without saying for what, and minutes late: a person decides."""
        return None

    def bonuses(self, publications: Collection[str]) -> Iterator[Payment]:
        for study in publications:
            yield from self._submissions.bonuses(study)

    # People -----------------------------------------------------------------------------------
    def message(
        self, people: Sequence[str], *, subject: str, text: str, key: str, publication: str = ""
    ) -> None:
        study = publication or next((study["id"] for study in self._studies.published()), "")
        if not study:
            raise PermanentFault(
                "Prolific only allows messages about a study, and there is none yet."
            )
        self._audiences.write(study, people, f"{subject}\n\n{text}")

    def enlist(self, audience: str, people: Sequence[str], *, key: str) -> None:
        self._audiences.add(audience, people)

    def delist(self, audience: str, people: Sequence[str], *, key: str) -> None:
        self._audiences.remove(audience, people)

    def _filters(self, spec: PublicationSpec) -> list[Filter]:
        requirements = spec.requirements
        asked = {"workspace_id": self.account.workspace}
        offered = (
            rows(self._client.read("/api/v1/filters/", asked)) if requirements.countries else []
        )
        return [
            *requirement_filters(requirements, offered),
            *group_filters(
                self._audiences.ids_to_admit(spec.only),
                self._audiences.ids_to_exclude(spec.without),
            ),
        ]
