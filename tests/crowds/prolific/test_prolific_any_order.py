"""Anything in any order, with calls going wrong in between: books and places stay right."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
)

from crowds.gateway import (
    Bonus,
    Codes,
    CrowdError,
    Extension,
    HitSpec,
    PublicationSpec,
    PublicationStatus,
    UnclearOutcome,
)
from crowds.prolific.account import Account
from crowds.prolific.client import Client
from crowds.prolific.gateway import ProlificGateway
from rehearsal.prolific import Fault, Market, StandIn
from rehearsal.prolific.contract import DeclaredContract
from rehearsal.prolific.market import Refusal

REWARD = 500
PLACES = [HitSpec(f"hit-{number}", f"https://da.example/{number}/", 2) for number in (1, 2, 3)]
REASON = "The captions were rated before their videos could have been watched to the end. " * 2
LIFETIME = dt.timedelta(days=7)


class Campaign(RuleBasedStateMachine):
    """One study, worked on, decided about and extended, by an outbox that insists."""

    handed_in = Bundle("handed_in")
    approved = Bundle("approved")

    @initialize()
    def launch(self):
        self.stand_in = StandIn(Market(), contract=DeclaredContract()).__enter__()
        self.market, address = self.stand_in.market, self.stand_in.address
        account = Account(
            token=self.market.token, workspace="workspace", project="project", api=address
        )
        client = Client(token=account.token, address=address, sleep=lambda _: None)
        self.gateway = ProlificGateway(account, client)
        self.people = {place.reference: place.people for place in PLACES}
        self.numbers = iter(range(10_000))
        self.bonuses: list[int] = []
        self.in_doubt = 0
        self.coming: list[tuple[Fault, str]] = []
        self.paid: set[str] = set()
        self.spec = PublicationSpec(
            reference="campaign-1",
            title="Rate captions",
            description="Watch and rate.",
            reward=Decimal("5.00"),
            minutes_expected=30,
            minutes_allowed=180,
            lifetime=LIFETIME,
            auto_approval=dt.timedelta(days=3),
            places=tuple(PLACES),
            codes=Codes("DONE", "NO", "OUT"),
        )
        self.study = self.insist(lambda: self.gateway.publish(self.spec, key="k")).external_id

    def teardown(self):
        if hasattr(self, "stand_in"):
            self.stand_in.__exit__()

    def insist(self, act):
        self.spoil()
        for _ in range(20):
            try:
                return act()
            except CrowdError as fault:
                last = fault
        raise AssertionError(f"Still not done: {last}")

    def spoil(self):
        """Let the next call of the kind drawn go wrong, while the gateway acts."""
        for fault, call in self.coming:
            self.stand_in.faults.plan(fault, call)
        self.coming.clear()

    @rule(
        fault=st.sampled_from([fault for fault in Fault if fault != Fault.SLOW]),
        call=st.sampled_from(["GET", "POST", "PATCH", "transition", "pay/", "bulk-approve"]),
    )
    def something_will_go_wrong(self, fault, call):
        self.coming.append((fault, call))

    @rule(target=handed_in)
    def somebody_works(self):
        try:
            one = self.market.begin(self.study, f"person{next(self.numbers)}")
        except Refusal:  # paused, or full
            return ""
        self.market.complete(one.id, "DONE")
        return one.id

    @rule()
    def somebody_gives_up(self):
        try:
            one = self.market.begin(self.study, f"person{next(self.numbers)}")
        except Refusal:
            return
        self.market.leave(one.id)

    @rule(target=approved, ones=st.lists(consumes(handed_in), min_size=1, max_size=4, unique=True))
    def work_is_approved(self, ones):
        ids = [one for one in ones if one]
        if ids:
            self.insist(lambda: self.gateway.approve(self.study, ids, key="k"))
            self.paid |= set(ids)
        return ids[0] if ids else ""

    @rule(one=consumes(handed_in))
    def work_is_rejected(self, one):
        if one:
            self.insist(
                lambda: self.gateway.reject(
                    self.study, one, reason=REASON, category="TOO_QUICKLY", key="k"
                )
            )

    @rule(one=approved)
    def a_bonus_is_paid(self, one):
        if not one:
            return
        bonus = Bonus(one, self.study, "", Decimal("1.00"), "Thank you")
        self.spoil()
        try:
            self.gateway.bonus(bonus, key="k")
        except UnclearOutcome:
            self.in_doubt += 1
        except CrowdError:
            return
        else:
            self.bonuses.append(100)

    @rule(place=st.sampled_from(PLACES), more=st.integers(1, 2))
    def places_are_added(self, place, more):
        self.people[place.reference] += more
        wanted = HitSpec(place.reference, place.url, self.people[place.reference])
        extension = Extension(wanted, more)
        self.insist(lambda: self.gateway.extend(self.study, [extension], key="k"))

    @rule()
    def the_study_is_paused(self):
        self.insist(lambda: self.gateway.expire(self.study, key="k"))

    @rule()
    def the_study_is_resumed(self):
        if self.market.studies[self.study].status != "COMPLETED":
            self.insist(lambda: self.gateway.reopen(self.study, lifetime=LIFETIME, key="k"))

    @rule()
    def the_launch_is_repeated(self):
        again = self.insist(lambda: self.gateway.publish(self.spec, key="k"))
        assert again.external_id == self.study

    @invariant()
    def there_is_one_study_with_the_places_wanted(self):
        (study,) = self.market.studies.values()
        there = [detail["total_allocation"] for detail in study.access_details]
        assert there == list(self.people.values())
        assert study.places == sum(there)

    @invariant()
    def everybody_is_paid_once(self):
        market = self.market
        approved = {one.id for one in market.submissions.values() if one.status == "APPROVED"}
        assert approved == self.paid
        bonuses = [bonus for one in market.submissions.values() for bonus in one.bonuses]
        assert len(self.bonuses) <= len(bonuses) <= len(self.bonuses) + self.in_doubt
        spent = market.cost(REWARD, len(approved)) + market.cost(100, len(bonuses))
        assert market.total_balance == 1_000_000 - spent

    @invariant()
    def the_gateway_sees_what_there_is(self):
        self.stand_in.faults.clear()
        found = self.gateway.find("campaign-1")
        assert found is not None
        assert found.people == sum(self.people.values())
        assert (found.status is PublicationStatus.EXPIRED) == (
            self.market.studies[self.study].status == "PAUSED"
        )


TestAnyOrder = Campaign.TestCase
TestAnyOrder.settings = settings(
    max_examples=8,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
