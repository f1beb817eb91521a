"""A HIT's whole life through the gateway, over HTTP."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from crowds.gateway import (
    Bonus,
    Extension,
    HitSpec,
    NotFound,
    PermanentFault,
    PublicationStatus,
    Requirements,
    SubmissionStatus,
    TransientFault,
)
from rehearsal.mturk.worker_client import Turned
from tests.crowds.mturk.conftest import spec


def calls(server) -> dict[str, int]:
    counted = dict(server.service.calls)
    server.service.calls.clear()
    return counted


def test_a_hit_is_published_worked_approved_and_closed(gateway, server, work):
    wanted = spec(people=2)
    out = gateway.publish(wanted, key="k1")
    assert (out.reference, out.people, out.status) == ("da-1", 2, PublicationStatus.OPEN)
    assert out.places == {"hit-da-1": out.external_id}
    assert out.address.startswith(f"{server.origin}/mturk/preview?groupId=3")
    work(out.external_id, "A1")
    work(out.external_id, "A2")
    first, second = gateway.submissions([out.external_id])
    assert (first.person, first.code, first.status) == (
        "A1",
        "CODEA1",
        SubmissionStatus.SUBMITTED,
    )
    assert first.submitted_at.tzinfo is dt.UTC
    assert first.auto_approval_at - first.submitted_at == wanted.auto_approval
    gateway.approve(out.external_id, [first.external_id], key="k2")
    gateway.reject(out.external_id, second.external_id, reason="All at 50.", key="k3")
    states = [one.status for one in gateway.submissions([out.external_id])]
    assert states == [SubmissionStatus.APPROVED, SubmissionStatus.REJECTED]
    assert list(gateway.submissions([out.external_id], undecided=True)) == []
    gateway.close(out.external_id, key="k4")
    assert server.service.market.hits[out.external_id].disposed
    assert gateway.balance() == 10_000 - gateway.price(spec(people=1)).total


def test_hits_of_one_kind_cost_one_call_each(gateway, server):
    for number in range(5):
        gateway.publish(spec(f"da-{number}"), key=f"k{number}")
    assert calls(server) == {"CreateHITType": 1, "CreateHITWithHITType": 5}


def test_only_hits_with_something_to_hear_are_asked(gateway, server, work):
    out = [gateway.publish(spec(f"da-{n}"), key=f"k{n}").external_id for n in range(12)]
    work(out[3])
    work(out[7])
    decided = work(out[8])
    gateway.approve(out[8], [decided], key="a")
    calls(server)
    heard = list(gateway.submissions(out, undecided=True))
    assert {one.publication for one in heard} == {out[3], out[7]}
    assert {one.place for one in heard} == {"hit-da-3", "hit-da-7"}
    assert calls(server) == {"ListHITs": 1, "ListAssignmentsForHIT": 2}
    assert len(list(gateway.submissions(out))) == 3


def test_long_lists_of_hits_and_submissions_are_read_to_their_end(gateway, work):
    out = [gateway.publish(spec(f"da-{n:03}"), key=f"k{n}").external_id for n in range(105)]
    work(out[0])
    assert [one.publication for one in gateway.submissions(out)] == [out[0]]
    assert gateway.find("da-000").external_id == out[0]
    assert len(list(gateway.publications("da-"))) == 105
    assert [one.external_id for one in gateway.publications("da-10")] == out[:99:-1]


def test_unknown_publications_have_no_submissions(gateway, work):
    out = gateway.publish(spec(), key="k").external_id
    work(out)
    assert len(list(gateway.submissions(["3NONE", out, "3NEITHER"]))) == 1


def test_one_submission_tells_whether_an_address_was_forged(gateway, work):
    out = gateway.publish(spec(), key="k").external_id
    handed_in, in_hand = work(out, "A1"), work(out, "A2", submits=False)
    told = gateway.submission(handed_in)
    assert (told.person, told.publication, told.place) == ("A1", out, "hit-da-1")
    assert gateway.submission(in_hand).status is SubmissionStatus.WORKING
    with pytest.raises(NotFound):
        gateway.submission("3FORGED")


def test_what_is_done_already_is_no_fault(gateway, work):
    out = gateway.publish(spec(), key="k").external_id
    one, two = work(out, "A1"), work(out, "A2")
    for _ in range(2):
        gateway.approve(out, [one], key="a")
        gateway.reject(out, two, reason="Why.", key="r")
        gateway.expire(out, key="e")
    for _ in range(2):
        gateway.close(out, key="c")
        gateway.expire(out, key="e")


def test_the_opposite_is_refused_unless_overruled(gateway, work):
    out = gateway.publish(spec(), key="k").external_id
    assignment = work(out)
    gateway.reject(out, assignment, reason="Why.", key="r")
    with pytest.raises(PermanentFault):
        gateway.approve(out, [assignment], key="a")
    gateway.approve(out, [assignment], key="a", overrule=True)
    assert gateway.submission(assignment).status is SubmissionStatus.APPROVED
    with pytest.raises(PermanentFault):
        gateway.reject(out, assignment, reason="Why.", key="r2")


def test_a_hit_that_is_worked_on_is_not_closed(gateway, work):
    out = gateway.publish(spec(), key="k").external_id
    in_hand = work(out, submits=False)
    with pytest.raises(TransientFault, match="still in progress"):
        gateway.close(out, key="c")
    with pytest.raises(Turned):  # but it was expired: nobody new begins
        work(out, "A2")
    assert gateway.submission(in_hand).status is SubmissionStatus.WORKING


def to(people: int, more: int, reference: str = "hit-da-1") -> list[Extension]:
    return [Extension(HitSpec(reference, "https://study.example/", people), more)]


def test_more_people_and_again(gateway, work):
    out = gateway.publish(spec(people=1), key="k").external_id
    work(out)
    for _ in range(2):
        assert gateway.extend(out, to(3, 2), key="m").people == 3
    gateway.expire(out, key="e")
    assert gateway.find("da-1").status is PublicationStatus.EXPIRED
    opened = gateway.extend(out, to(4, 1), key="n")
    assert (opened.people, opened.status) == (4, PublicationStatus.OPEN)
    with pytest.raises(PermanentFault, match="fewer than 10"):
        gateway.extend(out, to(10, 6), key="o")
    with pytest.raises(PermanentFault, match="another HIT"):
        gateway.extend(out, to(5, 1, "hit-other"), key="p")


def test_open_again_by_the_marketplaces_own_clock(gateway, server, work):
    out = gateway.publish(spec(), key="k").external_id
    server.service.forward(30 * 86_400)
    assert gateway.find("da-1").status is PublicationStatus.EXPIRED
    gateway.reopen(out, lifetime=dt.timedelta(hours=1), key="r")
    assert gateway.find("da-1").status is PublicationStatus.OPEN
    work(out)


def test_a_bonus_is_paid_and_found(gateway, server, work):
    out = gateway.publish(spec(), key="k").external_id
    bonus = Bonus(work(out), out, "A1", Decimal("1.00"), "Careful work.")
    assert gateway.find_bonus(bonus, key="b") is False
    for _ in range(2):
        gateway.bonus(bonus, key="b")
    assert gateway.find_bonus(bonus, key="b") is True
    assert len(server.service.market.bonuses[bonus.submission]) == 1


def test_a_bonus_is_told_from_another_just_like_it(gateway, server, work):
    out = gateway.publish(spec(), key="k").external_id
    bonus = Bonus(work(out), out, "A1", Decimal("1.00"), "Careful work.")
    gateway.bonus(bonus, key="first-bonus")
    assert gateway.find_bonus(bonus, key="other-bonus") is False
    gateway.bonus(bonus, key="other-bonus")
    assert gateway.find_bonus(bonus, key="other-bonus") is True
    assert len(server.service.market.bonuses[bonus.submission]) == 2


def test_a_bonus_beyond_the_account_is_refused_even_if_its_like_was_paid(gateway, work):
    out = gateway.publish(spec(), key="k").external_id
    bonus = Bonus(work(out), out, "A1", Decimal("5000"), "Careful work.")
    gateway.bonus(bonus, key="b1")
    with pytest.raises(PermanentFault, match="insufficient funds"):
        gateway.bonus(bonus, key="b2")


def test_lists_let_people_in_or_keep_them_out(gateway, work):
    gateway.enlist("took part in da-1", ["A1", "A2"], key="e")
    gateway.enlist("passed quality control", ["A1", "A3"], key="e2")
    wanted = spec("new", only=("passed quality control",), without=("took part in da-1",))
    out = gateway.publish(wanted, key="k").external_id
    for person in ("A1", "A2", "A4"):
        with pytest.raises(Turned, match="qualifications"):
            work(out, person)
    work(out, "A3")
    gateway.delist("took part in da-1", ["A1", "A4"], key="d")
    gateway.delist("never made", ["A1"], key="d2")
    work(out, "A1")


def test_a_list_may_be_named_before_anybody_is_on_it(gateway, server, work):
    out = gateway.publish(spec(without=("not again",)), key="k").external_id
    gateway.enlist("not again", ["A1"], key="e")
    assert len(server.service.market.qualifications) == 1
    with pytest.raises(Turned):
        work(out, "A1")


def test_requirements_are_asked_for(gateway, server):
    asked = Requirements(approval_rate=97, approved=500, countries=("US", "IE"))
    hit = gateway.publish(spec(requirements=asked), key="k").external_id
    market = server.service.market
    assert market.obstacle(market.hits[hit], "AUNKNOWN", "discover")
    told = server.service.act("GetHIT", {"HITId": hit})["HIT"]["QualificationRequirements"]
    assert [one["Comparator"] for one in told] == ["GreaterThanOrEqualTo"] * 2 + ["In"]


def test_people_are_written_to_a_hundred_at_a_time(gateway, server, work):
    out = gateway.publish(spec(), key="k").external_id
    gateway.approve(out, [work(out)], key="a")
    calls(server)
    people = ["A1", *(f"AX{n}" for n in range(230))]
    gateway.message(people, subject="Thanks", text="More soon.", key="m")
    assert calls(server) == {"NotifyWorkers": 3}
    assert [message.worker for message in server.service.market.messages] == ["A1"]


def test_a_marketplace_that_began_anew_is_got_on_with(gateway, server, watch):
    gateway.publish(spec(without=("a",)), key="k")
    server.service.market.types.clear()
    server.service.market._type_ids.clear()
    server.service.market.qualifications.clear()
    assert gateway.publish(spec("da-2", without=("a",)), key="k2").people == 2


def test_there_is_nowhere_to_go_but_the_form(gateway):
    assert gateway.completion_address("CODE") == ""
    assert gateway.facts.people_per_hit == 9
