"""People who are invited by a link: no marketplace, so that nothing is sent and nothing can fail.

Links are made by `annotations`; who came and what they did is known from our own rows. Paying
people is up to the organiser: approving only books it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal

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

FACTS = Facts(
    name="invite",
    label="Invited people",
    reports_submissions=False,
    pays=False,
    can_message=False,
    needs_https=False,
    approvals_per_call=1000,
    lowest_hourly=Decimal("7.25"),  # the minimum wage of the United States, as on Mechanical Turk
)


class Invitations:
    """The gateway to nobody: every message is done as soon as it is written down."""

    facts = FACTS

    def check(self, spec: PublicationSpec) -> None:
        if not spec.places:
            raise PermanentFault("There is nothing to offer.")

    def price(self, spec: PublicationSpec) -> Price:
        return Price(reward=spec.reward * spec.people, fee=Decimal("0.00"))

    def balance(self) -> None:
        return None

    def completion_address(self, code: str) -> str:
        return ""

    def publish(self, spec: PublicationSpec, *, key: str) -> PublicationReport:
        return _publication(spec.reference)

    def find(self, reference: str) -> PublicationReport | None:
        return _publication(reference)

    def extend(
        self, publication: str, extensions: Sequence[Extension], *, key: str
    ) -> PublicationReport:
        return _publication(publication)

    def expire(self, publication: str, *, key: str) -> None:
        """Nobody can take work of a paused launch: our own rows see to that."""

    def reopen(self, publication: str, *, lifetime: dt.timedelta, key: str) -> None:
        """The links work again."""

    def close(self, publication: str, *, key: str) -> None:
        """The links lead to no work any more."""

    def publications(self, prefix: str) -> Iterator[PublicationReport]:
        return iter(())

    def submissions(
        self, publications: Collection[str], *, undecided: bool = False
    ) -> Iterator[SubmissionReport]:
        return iter(())

    def submission(self, external_id: str) -> SubmissionReport:
        raise NotFound("Invited people are known only here.")

    def approve(
        self, publication: str, submissions: Sequence[str], *, key: str, overrule: bool = False
    ) -> None:
        """The organiser pays."""

    def reject(
        self, publication: str, submission: str, *, reason: str, category: str = "", key: str
    ) -> None:
        """The organiser does not pay."""

    def bonus(self, bonus: Bonus, *, key: str) -> None:
        """The organiser pays that too."""

    def find_bonus(self, bonus: Bonus, *, key: str) -> bool:
        return False

    def bonuses(self, publications: Collection[str]) -> Iterator[Payment]:
        return iter(())

    def message(self, people: Sequence[str], *, subject: str, text: str, key: str) -> None:
        raise PermanentFault(
            "Invited people cannot be written to from here: contact them yourself."
        )

    def enlist(self, audience: str, people: Sequence[str], *, key: str) -> None:
        """Who is to be invited again is for the organiser to remember."""

    def delist(self, audience: str, people: Sequence[str], *, key: str) -> None:
        """As above."""


def _publication(reference: str) -> PublicationReport:
    return PublicationReport(external_id=reference, reference=reference)
