"""Whatever happens in whatever order, with faults at every step: our rows and the crowd agree.

A state machine over the services, the rows and a crowd in memory. In between the budget holds and
nothing is out twice; once the faults stop, the ledger says to the cent what the crowd has spent.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections import Counter
from decimal import Decimal

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from annotations.errors import NothingToTake
from annotations.models import Assignment
from crowds.gateway import Facts, SubmissionStatus, TransientFault, UnclearOutcome
from crowds.models import LedgerEntry, OutboxMessage, PublishedHit, Submission
from crowds.selectors.counting import assignments_left_out
from crowds.selectors.money import campaign_sums, policy_of
from crowds.services.launches import launch_close, launch_pause, launch_resume
from crowds.services.money import OverBudget
from crowds.services.outbox import claims_lapse, outbox_run
from crowds.services.reconciling import launch_reconcile
from crowds.services.reviews import (
    submission_bonus,
    submissions_pay,
    submissions_refuse,
    submissions_use,
)
from crowds.services.submissions import launch_sync
from crowds.services.topups import launch_top_up
from daplatform.errors import DomainError
from tests import crowd as crowd_module
from tests.crowd import FACTS, Marketplace, launch
from tests.crowds.crowd_people import arrive, rate
from tests.crowds.test_outbox import Killed
from tests.factories import make_campaign, make_hit

FAULTS = (
    ("before", TransientFault),
    ("before", UnclearOutcome),
    ("after", UnclearOutcome),
    ("before", Killed),
    ("after", Killed),
)
BULK = Facts(name="mturk", label="Bulk", approvals_per_call=3, bonus_fee_rate=Decimal("0.20"))
picks = st.integers(0, 10)


class CrowdMachine(RuleBasedStateMachine):
    """One campaign with two HITs for two people each."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = transaction.atomic()
        self.rows.__enter__()
        self.hours = 0
        self.people = 0
        self.bonuses = 0

    @initialize(
        bulk=st.booleans(),
        budget=st.sampled_from(["4.76", "5.95", "8.00", "100.00"]),
        under_way=st.booleans(),
    )
    def begin(self, bulk: bool, budget: str, under_way: bool) -> None:
        """With or without two people's finished work."""
        self.market = crowd_module.MARKET = Marketplace(facts=BULK if bulk else FACTS)
        self.campaign = make_campaign(assignments=2)
        hit = make_hit(self.campaign)
        hit.batch.hits.create(number=2)
        self.launch = launch(self.campaign, budget=budget)
        self.hits = list(hit.batch.hits.order_by("number"))
        if under_way:
            outbox_run(crowd="mturk")
            self.somebody_works(0)
            self.somebody_works(1)
            launch_sync(launch=self.launch)

    @rule(fault=st.none() | st.sampled_from(FAULTS))
    def workers_work(self, fault: tuple[str, type[BaseException]] | None) -> None:
        """The first thing they tell the crowd may go wrong."""
        if fault is not None:
            when, kind = fault
            self.market.break_next("any", when, kind("Broken."))
        with contextlib.suppress(Killed):
            outbox_run(crowd="mturk", now=self._now())
        self.market.faults.clear()

    @rule()
    def time_passes(self) -> None:
        self.hours += 1
        claims_lapse(now=self._now())

    @rule()
    def crowd_is_asked(self) -> None:
        launch_sync(launch=self.launch)

    @precondition(lambda self: self.market.out)
    @rule(pick=picks)
    def somebody_works(self, pick: int) -> None:
        """At a HIT of a publication, if there is room for them there and here."""
        name = list(self.market.out)[pick % len(self.market.out)]
        spec, out = self.market.specs[name], self.market.out[name]
        taken = sum(turn.publication == name for turn in self.market.turns.values())
        if out.status != "open" or taken >= out.people:
            return
        self.people += 1
        place = spec.places[self.people % len(spec.places)]
        hit = next(hit for hit in self.hits if f"hit-{hit.pk}" == place.reference)
        person = f"W{self.people}"
        with contextlib.suppress(NothingToTake):
            rate(arrive(hit, person, f"A-{person}"))
            self.market.submit(name, person, f"A-{person}")

    @precondition(lambda self: self.market.out)
    @rule(pick=picks, hands_in=st.booleans())
    def stranger_comes(self, pick: int, hands_in: bool) -> None:
        """Under a name and for a turn the crowd does not know."""
        self.people += 1
        with contextlib.suppress(NothingToTake):
            turn = arrive(self.hits[pick % 2], f"S{self.people}", f"invented-{self.people}")
            if hands_in:
                rate(turn)

    @invariant()
    def strangers_hold_and_count_nothing(self) -> None:
        if not hasattr(self, "campaign"):
            return
        turns = Assignment.objects.filter(annotator__identity__external_id__startswith="S")
        assert not turns.exclude(slot=None).exists()
        assert set(turns.values_list("pk", flat=True)) <= set(assignments_left_out(self.campaign))

    @precondition(lambda self: self._waiting())
    @rule(pick=picks)
    def crowd_approves_by_itself(self, pick: int) -> None:
        waiting = self._waiting()
        self.market.approve(waiting[pick % len(waiting)])

    @precondition(lambda self: self._submissions())
    @rule(pick=picks)
    def organiser_pays(self, pick: int) -> None:
        rows = self._submissions()
        with contextlib.suppress(OverBudget):
            submissions_pay(
                campaign=self.campaign, submissions=rows[: pick + 1], by=self.campaign.owner
            )

    @precondition(lambda self: self._submissions())
    @rule(pick=picks)
    def organiser_refuses(self, pick: int) -> None:
        rows = self._submissions()
        submissions_refuse(
            campaign=self.campaign,
            submissions=[rows[pick % len(rows)]],
            reason="Too fast.",
            by=self.campaign.owner,
        )

    @precondition(lambda self: self._submissions())
    @rule(pick=picks, twice=st.booleans())
    def organiser_gives_a_bonus(self, pick: int, twice: bool) -> None:
        rows = self._submissions()
        self.bonuses += 1
        for _ in range(1 + twice):
            with contextlib.suppress(OverBudget):
                submission_bonus(
                    campaign=self.campaign,
                    submission=rows[pick % len(rows)],
                    amount=Decimal("0.33"),
                    reason="Careful.",
                    once=str(self.bonuses),
                    by=self.campaign.owner,
                )

    @precondition(lambda self: self._submissions())
    @rule(pick=picks)
    def organiser_leaves_out_and_tops_up(self, pick: int) -> None:
        rows = self._submissions()
        submissions_use(
            campaign=self.campaign,
            submissions=[rows[pick % len(rows)]],
            use=False,
            by=self.campaign.owner,
        )
        with contextlib.suppress(DomainError):
            launch_top_up(launch=self.launch)

    @rule(pauses=st.booleans())
    def organiser_pauses_or_resumes(self, pauses: bool) -> None:
        with contextlib.suppress(DomainError):
            (launch_pause if pauses else launch_resume)(launch=self.launch, by=self.campaign.owner)

    @invariant()
    def budget_holds(self) -> None:
        if not hasattr(self, "campaign"):
            return
        unasked = LedgerEntry.objects.filter(reason="unasked").exists()
        assert unasked or campaign_sums(self.campaign).total <= policy_of(self.campaign).budget

    @invariant()
    def nothing_is_out_or_given_twice(self) -> None:
        if not hasattr(self, "market"):
            return
        references = Counter(each.reference for each in self.market.out.values())
        assert all(count == 1 for count in references.values())
        assert len({key for key, _ in self.market.bonuses}) == len(self.market.bonuses)

    def teardown(self) -> None:
        """The faults stop, everything is decided and closed: then all sums agree."""
        try:
            if hasattr(self, "campaign"):
                self._settle()
                self._compare()
        finally:
            transaction.set_rollback(True)
            self.rows.__exit__(None, None, None)

    def _settle(self) -> None:
        self.market.faults.clear()
        self._work()
        launch_sync(launch=self.launch, undecided=False)
        for row in self._submissions():
            with contextlib.suppress(OverBudget):
                submissions_pay(campaign=self.campaign, submissions=[row])
        self._work()
        with contextlib.suppress(DomainError):
            launch_close(launch=self.launch, by=self.campaign.owner)
        self._work()
        launch_sync(launch=self.launch, undecided=False)

    def _work(self) -> None:
        for _ in range(4):
            self.hours += 1
            claims_lapse(now=self._now())
            outbox_run(crowd="mturk", now=self._now())

    def _compare(self) -> None:
        messages = OutboxMessage.objects.filter(campaign=self.campaign)
        assert set(messages.values_list("state", flat=True)) <= {"done", "failed"}
        assert campaign_sums(self.campaign).spent == self.market.spent
        approved = [t for t in self.market.turns.values() if t.status == SubmissionStatus.APPROVED]
        paid = LedgerEntry.objects.filter(campaign=self.campaign, kind="paid")
        assert paid.count() == len(approved)
        places = PublishedHit.objects.filter(publication__launch=self.launch)
        assert sum(each.people for each in self.market.out.values()) == sum(
            places.values_list("people", flat=True)
        )
        if set(self.launch.publications.values_list("status", flat=True)) == {"closed"}:
            assert campaign_sums(self.campaign).outstanding == 0
        handed_in = Assignment.objects.filter(campaign=self.campaign, submission__isnull=False)
        assert Submission.objects.filter(assignment__in=handed_in).count() == handed_in.count()
        money = [each for each in launch_reconcile(launch=self.launch) if "booked" in each]
        assert money == []

    def _now(self) -> dt.datetime:
        return timezone.now() + self.hours * dt.timedelta(hours=1)

    def _submissions(self) -> list[Submission]:
        rows = Submission.objects.filter(publication__launch=self.launch).order_by("pk")
        return list(rows.select_related("annotator__identity"))

    def _waiting(self) -> list[str]:
        turns = self.market.turns.items()
        return [name for name, turn in turns if turn.status == SubmissionStatus.SUBMITTED]


@pytest.mark.django_db
def test_rows_and_crowd_agree_whatever_happens(market):
    run_state_machine_as_test(
        CrowdMachine,
        settings=settings(
            max_examples=15,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.reuse, Phase.generate],
        ),
    )
