"""Anything in any order, with trouble in between: our books and the marketplace's stay the same.

The machine below does what the outbox does: it tries, looks where the outcome is unclear, and
tries again with the same key.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from decimal import Decimal
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from crowds.gateway import (
    Bonus,
    Extension,
    HitSpec,
    PermanentFault,
    PublicationStatus,
    SubmissionStatus,
    TransientFault,
    UnclearOutcome,
)
from crowds.mturk.calling import ATTEMPTS
from rehearsal.mturk.faults import Fault, Trouble
from rehearsal.mturk.records import State
from rehearsal.mturk.server import running
from rehearsal.mturk.service import MarketService
from tests.crowds.mturk.conftest import gateway_at, spec
from tests.rehearsal.mturk.market import KEYS, Watch

# Longer troubles would be waited out; a few attempts are enough to lose an answer in.
TROUBLES = st.sampled_from([None, *(trouble for trouble in Trouble if trouble is not Trouble.SLOW)])
REWARD, UNIT = Decimal("0.50"), Decimal("0.60")
BONUS, BONUS_COST = Decimal("1.00"), Decimal("1.20")


class Study(RuleBasedStateMachine):
    """Rows of ours, a gateway, and a marketplace with faults."""

    server = gateway = None  # one for all examples: to make a client takes longer than to use it
    hits = Bundle("hits")
    work = Bundle("work")

    @initialize(target=work)
    def begin(self):
        self.watch = Watch(dt.datetime.now(dt.UTC))
        self.folder = tempfile.TemporaryDirectory()
        self.service = MarketService(folder=Path(self.folder.name), clock=self.watch)
        self.server.service = self.server.api.service = self.server.pages.service = self.service
        self.server.faults.clear()
        self.places: dict[str, HitSpec] = {}  # by HIT
        self.decided: dict[str, SubmissionStatus] = {}  # by submission
        self.bonuses: set[str] = set()
        self.keys = 0
        return self.work_on(self.publish(1, None), "A1", True)

    def insist(self, trouble, act, looks=lambda key: False):
        """As the outbox would: the same act until it is done, or found to be done."""
        self.keys += 1
        if trouble is not None:
            self.server.faults.add(Fault(trouble, times=ATTEMPTS))
        for _ in range(3):
            try:
                return act(f"key-{self.keys}")
            except UnclearOutcome:
                self.server.faults.clear()
                if found := looks(f"key-{self.keys}"):
                    return found
            except TransientFault:
                continue
            finally:
                self.server.faults.clear()
        raise AssertionError("without faults an act is done")

    @rule(target=hits, people=st.integers(1, 3), trouble=TROUBLES)
    def publish(self, people, trouble):
        wanted = spec(f"da-{len(self.places):03}", people)
        found = self.insist(
            trouble,
            lambda key: self.gateway.publish(wanted, key=key),
            lambda _: self.gateway.find(wanted.reference),
        )
        self.places[found.external_id] = wanted.places[0]
        return found.external_id

    @rule(target=work, hit=hits, person=st.sampled_from(["A1", "A2", "A3"]), submits=st.booleans())
    def work_on(self, hit, person, submits):
        market = self.service.market
        market.advance(self.watch.time)
        if market.obstacle(market.hits[hit], person, "accept"):
            return multiple()
        accepted = self.service.act("accept", {"hit": hit, "worker": person})["assignment"]
        if not submits:
            return multiple()
        self.service.act("submit", {"assignment": accepted, "fields": {"code": "C"}})
        return accepted

    @rule(hit=hits, more=st.integers(1, 3), trouble=TROUBLES)
    def extend(self, hit, more, trouble):
        old = self.places[hit]
        wanted = HitSpec(old.reference, old.url, old.people + more)
        try:
            self.insist(
                trouble, lambda key: self.gateway.extend(hit, [Extension(wanted, more)], key=key)
            )
        except PermanentFault:
            assert wanted.people > 9 or self.service.market.hits[hit].disposed
        else:
            self.places[hit] = wanted

    @rule(one=work, trouble=TROUBLES, decision=st.sampled_from(["approve", "reject", "overrule"]))
    def decide(self, one, trouble, decision):
        acts = {
            "approve": lambda key: self.gateway.approve("", [one], key=key),
            "reject": lambda key: self.gateway.reject("", one, reason="Why.", key=key),
            "overrule": lambda key: self.gateway.approve("", [one], key=key, overrule=True),
        }
        wanted = SubmissionStatus.REJECTED if decision == "reject" else SubmissionStatus.APPROVED
        try:
            self.insist(trouble, acts[decision])
        except PermanentFault:  # because the opposite was decided before
            assert str(self.service.market.assignments[one].state).lower() != wanted
        else:
            self.decided[one] = wanted

    @rule(one=work, trouble=TROUBLES)
    def pay_bonus(self, one, trouble):
        if one in self.bonuses:
            return
        assignment = self.service.market.assignments[one]
        bonus = Bonus(one, assignment.hit, assignment.worker, BONUS, "Careful work.")
        self.insist(
            trouble,
            lambda key: self.gateway.bonus(bonus, key=key),
            lambda key: self.gateway.find_bonus(bonus, key=key),
        )
        self.bonuses.add(one)

    @rule(hit=hits, trouble=TROUBLES)
    def expire(self, hit, trouble):
        self.insist(trouble, lambda key: self.gateway.expire(hit, key=key))

    @rule(hit=hits)
    def close(self, hit):
        """Closed, or not yet because somebody is at work or undecided."""
        self.server.faults.clear()
        market = self.service.market
        try:
            self.gateway.close(hit, key="close")
        except TransientFault:
            assert market.hits[hit].count(State.ACCEPTED, State.SUBMITTED)
        else:
            assert market.hits[hit].disposed

    @rule(hours=st.integers(1, 100))
    def time_passes(self, hours):
        self.watch.forward(hours=hours)

    @precondition(lambda self: self.places)
    @rule(undecided=st.booleans())
    def listen(self, undecided):
        self.server.faults.clear()
        heard = {
            one.external_id: one.status
            for one in self.gateway.submissions(list(self.places), undecided=undecided)
        }
        listed = {
            one.id: SubmissionStatus(str(one.state).lower())
            for one in self.service.market.assignments.values()
            if one.submitted_at and not (undecided and one.state is not State.SUBMITTED)
        }
        assert heard == listed

    @rule()
    def reconcile(self):
        self.server.faults.clear()
        market = self.service.market
        there = {one.external_id: one for one in self.gateway.publications("da-")}
        assert set(there) == {hit for hit in self.places if not market.hits[hit].disposed}
        for hit, one in there.items():
            assert (one.people, one.places) == (
                self.places[hit].people,
                {self.places[hit].reference: hit},
            )
            assert (one.status is PublicationStatus.OPEN) == (
                market.hits[hit].expires_at > market.now
            )

    def teardown(self):
        """A marketplace that is started again is the same marketplace."""
        self.service.close()
        again = MarketService(folder=Path(self.folder.name), clock=self.watch)
        self.service.market.advance(self.watch.time)
        for name in ("hits", "assignments", "account", "bonuses"):
            assert getattr(again.market, name) == getattr(self.service.market, name)
        again.close()
        self.folder.cleanup()

    @invariant()
    def books_agree(self):
        market = self.service.market
        assert set(market.hits) == set(self.places)  # one HIT per HIT
        assert {one for one, paid in market.bonuses.items() if paid} == self.bonuses
        assert all(len(paid) == 1 for paid in market.bonuses.values())
        states = {one: two.state for one, two in market.assignments.items()}
        for one, decision in self.decided.items():
            assert str(states[one]).lower() == decision
        approved = sum(state is State.APPROVED for state in states.values())
        assert market.account.paid == approved * UNIT + len(self.bonuses) * BONUS_COST
        assert market.account.held == sum(hit.held for hit in market.hits.values())
        assert market.account.available >= 0


def test_books_agree_whatever_happens(impatient_botocore):
    with running(MarketService(), KEYS) as server:
        Study.server, Study.gateway = server, gateway_at(server)
        run = Study.TestCase
        run.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)
        run("runTest").runTest()
