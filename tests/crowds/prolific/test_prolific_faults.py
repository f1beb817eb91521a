"""Every call can go wrong in every way, and be made again: what is wanted happens once."""

from __future__ import annotations

from decimal import Decimal

import pytest

from crowds.gateway import (
    Bonus,
    CrowdError,
    Extension,
    HitSpec,
    PermanentFault,
    SubmissionStatus,
    TransientFault,
    UnclearOutcome,
)
from rehearsal.prolific import Fault

SECOND_STEP = r"POST .*/bulk-bonus-payments/\w+/pay/"
# A slow answer is a lost one to the gateway; it is tested where it would cost most.
every_fault = pytest.mark.parametrize("fault", [fault for fault in Fault if fault != Fault.SLOW])


def insist(act):
    """What the outbox does: the same act again until it is done."""
    for _ in range(4):
        try:
            return act()
        except CrowdError as fault:
            last = fault
    raise AssertionError(f"Still not done: {last}")


@every_fault
@pytest.mark.parametrize("call", ["GET .*/studies/", "POST .*/studies/$", "POST .*/transition/"])
def test_a_batch_is_published_once(gateway, stand_in, market, make_offer, fault, call):
    stand_in.faults.plan(fault, call)
    spec = make_offer()
    publication = insist(lambda: gateway.publish(spec, key="k"))
    assert [study.status for study in market.studies.values()] == ["ACTIVE"]
    assert publication.external_id in market.studies
    assert gateway.find(spec.reference).people == spec.people


@every_fault
@pytest.mark.parametrize("call", ["GET .*progress", "PATCH .*", "POST .*/transition/"])
def test_places_are_added_once(gateway, stand_in, market, make_offer, fault, call):
    spec = make_offer(hits=2, people=1)
    study = gateway.publish(spec, key="k1").external_id
    gateway.expire(study, key="k2")
    stand_in.faults.plan(fault, call)
    wanted = [
        Extension(HitSpec("hit-1", spec.places[0].url, 3), 2),
        Extension(HitSpec("hit-7", "https://da.example/rate/enter/7/", 1), 1),
    ]
    insist(lambda: gateway.extend(study, wanted, key="k3"))
    places = [detail["total_allocation"] for detail in market.studies[study].access_details]
    assert places == [3, 1, 1]
    assert market.studies[study].places == 5
    assert market.studies[study].status == "ACTIVE"


@every_fault
def test_a_study_is_paused_resumed_and_stopped(gateway, stand_in, market, make_offer, fault):
    study = gateway.publish(make_offer(), key="k1").external_id
    lifetime = make_offer().lifetime
    for act, status in (
        (lambda: gateway.expire(study, key="k2"), "PAUSED"),
        (lambda: gateway.reopen(study, lifetime=lifetime, key="k3"), "ACTIVE"),
        (lambda: gateway.close(study, key="k4"), "COMPLETED"),
    ):
        stand_in.faults.plan(fault, "POST .*/transition/")
        insist(act)
        assert market.studies[study].status == status


@every_fault
@pytest.mark.parametrize("people", [1, 5])
def test_work_is_paid_once(gateway, stand_in, market, make_offer, work, fault, people):
    study = gateway.publish(make_offer(), key="k1").external_id
    ids = [one.id for one in work(study, range(people))]
    before = market.total_balance
    stand_in.faults.plan(fault, "POST .*(transition|bulk-approve)/")
    insist(lambda: gateway.approve(study, ids, key="k2"))
    assert {market.submissions[one].status for one in ids} == {"APPROVED"}
    assert market.total_balance == before - market.cost(500, people)


@every_fault
def test_work_is_rejected_once(gateway, stand_in, market, make_offer, work, fault):
    study = gateway.publish(make_offer(), key="k1").external_id
    (one,) = work(study, [1])
    stand_in.faults.plan(fault, "POST .*/transition/")
    insist(lambda: gateway.reject(study, one.id, reason="x" * 100, category="NO_DATA", key="k2"))
    assert gateway.submission(one.id).status is SubmissionStatus.REJECTED


@every_fault
@pytest.mark.parametrize("call", ["GET .*groups/", "POST .*groups/$", "POST .*/participants/"])
def test_a_list_is_made_once(gateway, stand_in, market, fault, call):
    stand_in.faults.plan(fault, call)
    insist(lambda: gateway.enlist("passed", ["anna", "bert"], key="k"))
    (group,) = market.groups.values()
    assert set(group.members) == {"anna", "bert"}


@every_fault
def test_reading_never_leaves_anything_unclear(gateway, stand_in, make_offer, work, fault):
    study = gateway.publish(make_offer(), key="k").external_id
    work(study, range(3))
    stand_in.faults.plan(fault, "GET .*", times=50)
    for read in (gateway.balance, lambda: list(gateway.submissions([study]))):
        with pytest.raises((TransientFault, PermanentFault)):
            read()
    stand_in.faults.clear()
    assert len(list(gateway.submissions([study]))) == 3


@pytest.fixture
def bonus(gateway, make_offer, work):
    study = gateway.publish(make_offer(), key="k1").external_id
    (one,) = work(study, [1])
    return Bonus(one.id, study, one.participant, Decimal("2.25"), "Thank you")


@pytest.mark.parametrize(
    ("fault", "error", "paid"),
    [
        (Fault.ERROR, UnclearOutcome, []),
        (Fault.ERROR_AFTER, UnclearOutcome, [225]),
        (Fault.THROTTLE, TransientFault, []),
        (Fault.REFUSE, PermanentFault, []),
        (Fault.DROP_BEFORE, UnclearOutcome, []),
        (Fault.DROP_AFTER, UnclearOutcome, [225]),
        (Fault.GARBLE, UnclearOutcome, [225]),
    ],
)
def test_paying_a_bonus_is_never_tried_twice(gateway, stand_in, market, bonus, fault, error, paid):
    stand_in.faults.plan(fault, SECOND_STEP, times=9)
    with pytest.raises(error):
        gateway.bonus(bonus, key="k2")
    assert market.submissions[bonus.submission].bonuses == paid
    assert sum(call.endswith("/pay/") for call in stand_in.calls) == 1


def test_a_bonus_whose_payment_is_not_confirmed_in_time_is_unclear(
    impatient, stand_in, market, bonus
):
    stand_in.faults.plan(Fault.SLOW, SECOND_STEP)
    with pytest.raises(UnclearOutcome, match="look at the submission"):
        impatient.bonus(bonus, key="k2")
    assert market.submissions[bonus.submission].bonuses == [225]


@pytest.mark.parametrize("call", ["POST .*/studies/$", "POST .*/transition/"])
def test_a_batch_published_slowly_is_published_once(impatient, stand_in, market, make_offer, call):
    stand_in.faults.plan(Fault.SLOW, call)
    insist(lambda: impatient.publish(make_offer(), key="k"))
    assert [study.status for study in market.studies.values()] == ["ACTIVE"]


@every_fault
def test_setting_up_a_bonus_is_tried_again_and_costs_nothing(
    gateway, stand_in, market, bonus, fault
):
    stand_in.faults.plan(fault, "POST .*/bonus-payments/$")
    insist(lambda: gateway.bonus(bonus, key="k2"))
    assert market.submissions[bonus.submission].bonuses == [225]


def test_whether_a_bonus_was_paid_is_for_a_person_to_say(gateway, bonus):
    gateway.bonus(bonus, key="k2")
    assert gateway.find_bonus(bonus, key="k2") is None


def test_every_act_made_twice_happens_once(gateway, market, make_offer, work):
    spec = make_offer(hits=1, people=3)

    def twice(act, *arguments, **named):
        act(*arguments, key="k", **named)
        return act(*arguments, key="k", **named)

    study = twice(gateway.publish, spec).external_id
    twice(gateway.extend, study, [Extension(HitSpec("hit-1", spec.places[0].url, 5), 2)])
    twice(gateway.expire, study)
    twice(gateway.reopen, study, lifetime=spec.lifetime)
    first, second, third = (one.id for one in work(study, range(3)))
    twice(gateway.approve, study, [first])
    twice(gateway.approve, study, [first, second])
    twice(gateway.reject, study, third, reason="x" * 100, category="OTHER")
    twice(gateway.enlist, "passed", ["anna"])
    twice(gateway.delist, "passed", ["anna"])
    twice(gateway.close, study)

    assert len(market.studies) == len(market.groups) == 1
    assert market.studies[study].places == 5
    assert market.total_balance == 1_000_000 - market.cost(500, 2)


def test_approving_what_was_rejected_is_refused(gateway, market, make_offer, work):
    study = gateway.publish(make_offer(), key="k1").external_id
    first, second = (one.id for one in work(study, range(2)))
    gateway.reject(study, first, reason="x" * 100, category="OTHER", key="k2")
    for together in ([first], [first, second]):
        with pytest.raises(PermanentFault):
            gateway.approve(study, together, key="k3")
    assert market.submissions[second].status == "AWAITING REVIEW"


def test_it_waits_as_long_as_prolific_asks(gateway, stand_in, pauses):
    stand_in.faults.plan(Fault.THROTTLE, "GET .*balance", times=2)
    gateway.balance()
    assert pauses == [1.0, 1.0]
