"""A crowd in memory that keeps the gateway's promises and breaks whatever a test wants broken.

`Marketplace` is the other side: what it holds is what a crowd would have, money included. A fault
comes "before" (nothing happens and it is raised) or "after" (the act is done, the answer is lost).
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from crowds import mturk
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
    PublicationStatus,
    SubmissionReport,
    SubmissionStatus,
)
from crowds.models import Launch
from crowds.selectors.offering import Choices
from crowds.services.launches import batch_launch, policy_update
from crowds.services.outbox import outbox_run
from crowds.services.submissions import launch_sync
from hits.models import Campaign

CENT = Decimal("0.01")
FEE = Decimal("0.20")
FACTS = Facts(
    name="mturk",
    label="Testing crowd",
    hits_per_publication=1,
    people_per_hit=9,
    bonus_fee_rate=FEE,
    lowest_hourly=Decimal("8.00"),
)
Fault = tuple[str, BaseException]


@dataclass
class Marketplace:
    """Everything the crowd knows."""

    facts: Facts = FACTS
    out: dict[str, PublicationReport] = field(default_factory=dict)
    specs: dict[str, PublicationSpec] = field(default_factory=dict)
    turns: dict[str, SubmissionReport] = field(default_factory=dict)
    bonuses: list[tuple[str, Bonus]] = field(default_factory=list)
    lists: dict[str, set[str]] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    spent: Decimal = Decimal("0.00")
    balance: Decimal | None = None
    calls: Counter[str] = field(default_factory=Counter)
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    tells_bonuses: bool = True

    def break_next(self, operation: str, when: str, fault: BaseException) -> None:
        """The next call of an operation, or of "any", fails before or after it was carried out."""
        self.faults.setdefault(operation, []).append((when, fault))

    def submit(self, publication: str, person: str, name: str = "") -> str:
        """Somebody hands in work; what their turn is called."""
        name = name or f"{publication}-{person}"
        now = dt.datetime.now(dt.UTC)
        self.turns[name] = SubmissionReport(
            name, publication, person, SubmissionStatus.SUBMITTED, submitted_at=now
        )
        return name

    def turn(self, name: str, status: SubmissionStatus) -> None:
        self.turns[name] = replace(self.turns[name], status=status)

    def unit(self, publication: str) -> Decimal:
        """What one person's work costs."""
        reward = self.specs[publication].reward
        return reward + (reward * FEE).quantize(CENT)

    def approve(self, name: str) -> None:
        self.turn(name, SubmissionStatus.APPROVED)
        self.spent += self.unit(self.turns[name].publication)


MARKET = Marketplace()


CROWD = mturk.CROWD  # its people arrive like those of Mechanical Turk


def connect(*, hurried: bool = False) -> FakeGateway:
    """What makes this file a crowd like the packages in crowds/."""
    return FakeGateway(MARKET)


class FakeGateway:
    """The gateway to a marketplace in memory."""

    def __init__(self, market: Marketplace) -> None:
        self.market = market

    @property
    def facts(self) -> Facts:
        return self.market.facts

    def _call(self, operation: str, message: Callable[[], Any]) -> Any:
        self.market.calls[operation] += 1
        queue = self.market.faults.get(operation) or self.market.faults.get("any", [])
        when, fault = queue.pop(0) if queue else ("", None)
        if when == "before" and fault is not None:
            raise fault
        result = message()
        if fault is not None:
            raise fault
        return result

    def check(self, spec: PublicationSpec) -> None:
        self._call("check", lambda: None)

    def price(self, spec: PublicationSpec) -> Price:
        fee = (spec.reward * FEE).quantize(CENT)
        return Price(spec.reward * spec.people, fee * spec.people)

    def balance(self) -> Decimal | None:
        return self.market.balance

    def completion_address(self, code: str) -> str:
        return ""

    def publish(self, spec: PublicationSpec, *, key: str) -> PublicationReport:
        return self._call("publish", lambda: self._publish(spec))

    def _publish(self, spec: PublicationSpec) -> PublicationReport:
        name = f"P{len(self.market.out) + 1}"
        made = PublicationReport(name, spec.reference, people=spec.people)
        self.market.out[name], self.market.specs[name] = made, spec
        return made

    def find(self, reference: str) -> PublicationReport | None:
        return self._call(
            "find",
            lambda: next(
                (each for each in self.market.out.values() if each.reference == reference), None
            ),
        )

    def extend(
        self, publication: str, extensions: Sequence[Extension], *, key: str
    ) -> PublicationReport:
        return self._call("extend", lambda: self._extend(publication, extensions, key))

    def _extend(
        self, publication: str, extensions: Sequence[Extension], key: str
    ) -> PublicationReport:
        out = self.market.out[publication]
        if key not in self.market.tokens:
            out = replace(out, people=out.people + sum(each.more for each in extensions))
        self.market.tokens.add(key)
        self.market.out[publication] = replace(out, status=PublicationStatus.OPEN)
        return self.market.out[publication]

    def _set_status(self, publication: str, status: PublicationStatus) -> None:
        self.market.out[publication] = replace(self.market.out[publication], status=status)

    def expire(self, publication: str, *, key: str) -> None:
        self._call("expire", lambda: self._set_status(publication, PublicationStatus.EXPIRED))

    def reopen(self, publication: str, *, lifetime: dt.timedelta, key: str) -> None:
        self._call("reopen", lambda: self._set_status(publication, PublicationStatus.OPEN))

    def close(self, publication: str, *, key: str) -> None:
        self._call("close", lambda: self._set_status(publication, PublicationStatus.CLOSED))

    def publications(self, prefix: str) -> Iterator[PublicationReport]:
        return iter(
            [each for each in self.market.out.values() if each.reference.startswith(prefix)]
        )

    def submissions(
        self, publications: Collection[str], *, undecided: bool = False
    ) -> Iterator[SubmissionReport]:
        decided = (SubmissionStatus.APPROVED, SubmissionStatus.REJECTED) if undecided else ()
        turns = [
            turn
            for turn in self.market.turns.values()
            if turn.publication in publications and turn.status not in decided
        ]
        return self._call("submissions", lambda: iter(turns))

    def submission(self, external_id: str) -> SubmissionReport:
        if external_id not in self.market.turns:
            raise NotFound("There is no such submission.")
        return self.market.turns[external_id]

    def approve(
        self, publication: str, submissions: Sequence[str], *, key: str, overrule: bool = False
    ) -> None:
        self._call("approve", lambda: self._approve(submissions, overrule))

    def _approve(self, submissions: Sequence[str], overrule: bool) -> None:
        wanted = {SubmissionStatus.SUBMITTED, SubmissionStatus.APPROVED} | (
            {SubmissionStatus.REJECTED} if overrule else set()
        )
        for name in submissions:
            if self.market.turns[name].status not in wanted:
                raise PermanentFault("This cannot be approved.")
        for name in submissions:
            if self.market.turns[name].status != SubmissionStatus.APPROVED:
                self.market.approve(name)

    def reject(
        self, publication: str, submission: str, *, reason: str, category: str = "", key: str
    ) -> None:
        self._call("reject", lambda: self._reject(submission))

    def _reject(self, name: str) -> None:
        if self.market.turns[name].status not in (
            SubmissionStatus.SUBMITTED,
            SubmissionStatus.REJECTED,
        ):
            raise PermanentFault("This cannot be rejected.")
        self.market.turn(name, SubmissionStatus.REJECTED)

    def bonus(self, bonus: Bonus, *, key: str) -> None:
        self._call("bonus", lambda: self._bonus(bonus, key))

    def _bonus(self, bonus: Bonus, key: str) -> None:
        self.market.bonuses.append((key, bonus))
        self.market.spent += bonus.amount + (bonus.amount * FEE).quantize(CENT)

    def find_bonus(self, bonus: Bonus, *, key: str) -> bool | None:
        if not self.market.tells_bonuses:
            return None
        return any(known == key for known, _ in self.market.bonuses)

    def bonuses(self, publications: Collection[str]) -> Iterator[Payment]:
        paid = [bonus for _, bonus in self.market.bonuses if bonus.publication in publications]
        return iter([Payment(bonus.submission, bonus.amount) for bonus in paid])

    def message(self, people: Sequence[str], *, subject: str, text: str, key: str) -> None:
        self._call("message", lambda: self.market.messages.extend(people))

    def enlist(self, audience: str, people: Sequence[str], *, key: str) -> None:
        self._call("enlist", lambda: self.market.lists.setdefault(audience, set()).update(people))

    def delist(self, audience: str, people: Sequence[str], *, key: str) -> None:
        self._call(
            "delist",
            lambda: self.market.lists.setdefault(audience, set()).difference_update(people),
        )


def launch(campaign: Campaign, *, budget: str = "1000.00", **choices: Any) -> Launch:
    """The campaign's last batch, launched at the testing crowd."""
    policy_update(campaign=campaign, by=campaign.owner, budget=Decimal(budget))
    batch = campaign.batches.order_by("number").last()
    assert batch is not None
    whole = {"crowd": "mturk", "reward": Decimal("0.99")} | choices
    return batch_launch(batch=batch, choices=Choices(**whole), by=campaign.owner)


def work(launch_: Launch, market: Marketplace) -> None:
    """Everything that happens by itself: acts are carried out, submissions are taken down."""
    outbox_run(crowd=launch_.crowd)
    launch_sync(launch=launch_)
