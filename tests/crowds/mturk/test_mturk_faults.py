"""Every trouble at every step: each act is done once, and what became of it is said truly."""

from __future__ import annotations

from decimal import Decimal

import pytest

from crowds.gateway import Bonus, Extension, TransientFault, UnclearOutcome
from crowds.mturk.calling import ATTEMPTS
from rehearsal.mturk.faults import Fault, Trouble
from tests.crowds.mturk.conftest import gateway_at, spec

PASSING = [trouble for trouble in Trouble if trouble is not Trouble.SLOW]


@pytest.fixture
def stage(gateway, work):
    """A HIT with one submission, before the trouble begins."""
    out = gateway.publish(spec(), key="first").external_id
    return out, work(out)


def publish(gateway, stage):
    gateway.publish(spec("da-2"), key="k")


def extend(gateway, stage):
    place = spec(people=3).places[0]
    gateway.extend(stage[0], [Extension(place, more=1)], key="k")


def approve(gateway, stage):
    gateway.approve(stage[0], [stage[1]], key="k")


def reject(gateway, stage):
    gateway.reject(stage[0], stage[1], reason="Why.", key="k")


def bonus(gateway, stage):
    gateway.bonus(Bonus(stage[1], stage[0], "A1", Decimal("1.00"), "Careful."), key="k")


def expire(gateway, stage):
    gateway.expire(stage[0], key="k")


def enlist(gateway, stage):
    gateway.enlist("took part", ["A1"], key="k")


ACTS = {
    publish: "CreateHITWithHITType",
    extend: "CreateAdditionalAssignmentsForHIT",
    approve: "ApproveAssignment",
    reject: "RejectAssignment",
    bonus: "SendBonus",
    expire: "UpdateExpirationForHIT",
    enlist: "CreateQualificationType",
}


def picture(server) -> dict:
    """What was done, without ids and times."""
    market = server.service.market
    return {
        "hits": [(hit.max_assignments, hit.available(market.now)) for hit in market.hits.values()],
        "work": [one.state for one in market.assignments.values()],
        "bonuses": sum(map(len, market.bonuses.values())),
        "money": market.account,
        "lists": [(kind.name, len(kind.grants)) for kind in market.qualifications.values()],
    }


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
@pytest.mark.parametrize("trouble", PASSING)
def test_a_passing_trouble_is_got_over_and_nothing_is_done_twice(
    server, gateway, stage, act, trouble
):
    before = picture(server)
    server.faults.add(Fault(trouble, ACTS[act]))
    act(gateway, stage)
    after = picture(server)
    act(gateway, stage)  # a task runs twice
    assert picture(server) == after != before
    assert len(after["hits"]) <= 2


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
@pytest.mark.parametrize("trouble", [Trouble.SERVICE_FAULT, Trouble.THROTTLED])
def test_what_certainly_was_not_done_may_be_tried_again(server, gateway, stage, act, trouble):
    before = picture(server)
    server.faults.add(Fault(trouble, ACTS[act], times=ATTEMPTS))
    with pytest.raises(TransientFault):
        act(gateway, stage)
    assert picture(server) == before


@pytest.mark.parametrize(
    "trouble", [Trouble.DROP_AFTER, Trouble.DROP_BEFORE, Trouble.INTERNAL_ERROR]
)
@pytest.mark.parametrize("act", [publish, bonus], ids=lambda act: act.__name__)
def test_what_a_token_guards_for_a_day_only_is_unclear(
    server, gateway, stage, act, trouble, impatient_botocore
):
    server.faults.add(Fault(trouble, ACTS[act], times=ATTEMPTS))
    with pytest.raises(UnclearOutcome):
        act(gateway, stage)
    made = gateway.find("da-2") is not None or any(server.service.market.bonuses.values())
    assert made == (trouble is Trouble.DROP_AFTER)


@pytest.mark.parametrize("act", [approve, reject, expire, enlist, extend], ids=lambda a: a.__name__)
def test_what_can_be_repeated_for_ever_is_only_late(
    server, gateway, stage, act, impatient_botocore
):
    server.faults.add(Fault(Trouble.DROP_AFTER, ACTS[act], times=ATTEMPTS))
    with pytest.raises(TransientFault):
        act(gateway, stage)
    after = picture(server)
    act(gateway, stage)
    if act is not enlist:  # its list is made; the person is put on it now
        assert picture(server) == after


def test_a_hit_whose_answer_takes_too_long_is_made_once(server, gateway, monkeypatch):
    monkeypatch.setattr("crowds.mturk.calling.READ_SECONDS", 0.5)
    impatient = gateway_at(server)
    server.faults.add(Fault(Trouble.SLOW, ACTS[publish], times=ATTEMPTS, seconds=0.8))
    with pytest.raises(UnclearOutcome):
        impatient.publish(spec(), key="k")
    assert gateway.find("da-1").people == 2
    assert len(server.service.market.hits) == 1


def test_a_lost_hit_is_found_by_our_own_reference_after_a_day(
    server, gateway, watch, impatient_botocore
):
    server.faults.add(Fault(Trouble.DROP_AFTER, ACTS[publish], times=ATTEMPTS))
    with pytest.raises(UnclearOutcome):
        gateway.publish(spec(), key="k")
    watch.forward(hours=25)  # its token means nothing any more
    found = gateway.find("da-1")
    assert found.people == 2
    assert gateway.find("da-2") is None


def test_a_worker_killed_after_the_call_finds_the_hit_by_its_token(server, gateway):
    first = gateway.publish(spec(), key="k")
    assert gateway_at(server).publish(spec(), key="k") == first
    assert len(server.service.market.hits) == 1


def test_a_connection_refused_after_one_that_was_lost_is_unclear(
    server, gateway, impatient_botocore
):
    """The last error alone would say that nothing was sent."""
    server.faults.add(Fault(Trouble.DROP_AFTER, ACTS[publish]))

    def goes_down(request, **_):
        if server.service.calls.get(ACTS[publish]):
            request.url = "http://localhost:9/"

    gateway._call._repeating.meta.events.register("before-send.mturk", goes_down)
    with pytest.raises(UnclearOutcome):
        gateway.publish(spec(), key="k")


@pytest.mark.parametrize("trouble", [Trouble.THROTTLED, Trouble.SERVICE_FAULT])
def test_a_refusal_after_an_answer_that_was_lost_is_unclear(server, gateway, trouble):
    """Whoever is told that nothing was done might publish it again, a day later."""
    server.faults.add(Fault(Trouble.DROP_AFTER, ACTS[publish]))
    server.faults.add(Fault(trouble, ACTS[publish], times=ATTEMPTS))
    with pytest.raises(UnclearOutcome):
        gateway.publish(spec(), key="k")
    assert gateway.find("da-1") is not None


def test_letters_are_never_sent_twice(server, gateway, stage):
    gateway.approve(*stage[:1], [stage[1]], key="a")
    server.faults.add(Fault(Trouble.DROP_AFTER, "NotifyWorkers"))
    with pytest.raises(UnclearOutcome):
        gateway.message(["A1"], subject="s", text="t", key="m")
    assert len(server.service.market.messages) == 1


def test_letters_sent_in_part_are_said_so(server, gateway):
    people = [f"A{n}" for n in range(150)]
    server.faults.add(Fault(Trouble.SERVICE_FAULT, "NotifyWorkers", times=ATTEMPTS, skip=1))
    with pytest.raises(UnclearOutcome, match="first 100"):
        gateway.message(people, subject="s", text="t", key="m")


def test_a_key_that_named_another_hit_is_not_believed(gateway):
    gateway.publish(spec("da-1"), key="same")
    with pytest.raises(Exception, match="mistakes this HIT"):
        gateway.publish(spec("da-2"), key="same")
