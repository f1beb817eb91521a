"""The life of HITs and assignments, seen by the requester through boto3."""

from __future__ import annotations

import datetime as dt

import pytest
from botocore.exceptions import ClientError

from rehearsal.mturk.worker_client import Turned
from tests.rehearsal.mturk.market import LONG_AGO, TYPE, hit_request


def make(client, **changes) -> str:
    return client.create_hit(**hit_request(**changes))["HIT"]["HITId"]


def status(client, hit) -> str:
    return client.get_hit(HITId=hit)["HIT"]["HITStatus"]


def numbers(client, hit) -> tuple[int, int, int]:
    told = client.get_hit(HITId=hit)["HIT"]
    kinds = ("Available", "Pending", "Completed")
    return tuple(told[f"NumberOfAssignments{kind}"] for kind in kinds)


def state(client, assignment) -> str:
    return client.get_assignment(AssignmentId=assignment)["Assignment"]["AssignmentStatus"]


def code(call, **request):
    with pytest.raises(ClientError) as caught:
        call(**request)
    return caught.value.response["TurkErrorCode"].removeprefix("AWS.MechanicalTurk.")


def balance(client) -> tuple[str, str]:
    answer = client.get_account_balance()
    return answer["AvailableBalance"], answer["OnHoldBalance"]


def done(worker, hit, name="AWORKER1") -> str:
    one = worker(name)
    assignment = one.accept(hit)
    one.submit(assignment, code="C")
    return assignment


def test_a_hit_goes_from_assignable_to_disposed(client, worker):
    hit = make(client)
    assert status(client, hit) == "Assignable"
    first, second = worker("A1"), worker("A2")
    one, two = first.accept(hit), second.accept(hit)
    assert (status(client, hit), numbers(client, hit)) == ("Unassignable", (0, 2, 0))
    first.submit(one, code="C")
    second.submit(two, code="C")
    assert (status(client, hit), numbers(client, hit)) == ("Reviewable", (0, 0, 0))
    client.update_hit_review_status(HITId=hit)
    assert status(client, hit) == "Reviewing"
    client.update_hit_review_status(HITId=hit, Revert=True)
    assert code(client.delete_hit, HITId=hit) == "InvalidHITState"
    client.approve_assignment(AssignmentId=one)
    client.reject_assignment(AssignmentId=two, RequesterFeedback="All the same.")
    assert numbers(client, hit) == (0, 0, 2)
    client.delete_hit(HITId=hit)
    assert status(client, hit) == "Disposed"
    assert client.list_hits()["HITs"] == []


def test_only_submitted_work_is_listed(client, worker):
    hit = make(client, MaxAssignments=5)
    kept = worker("A1").accept(hit)
    returned = worker("A2")
    returned.give_back(returned.accept(hit))
    submitted = done(worker, hit, "A3")
    listed = client.list_assignments_for_hit(HITId=hit)["Assignments"]
    assert [one["AssignmentId"] for one in listed] == [submitted]
    assert "<FreeText>C</FreeText>" in listed[0]["Answer"]
    assert code(client.get_assignment, AssignmentId=kept) == "InvalidAssignmentState"
    assert code(client.get_assignment, AssignmentId="3NONE") == "AssignmentDoesNotExist"


def test_deciding_twice_is_refused_and_a_rejection_can_be_overruled(client, worker):
    assignment = done(worker, make(client))
    client.reject_assignment(AssignmentId=assignment, RequesterFeedback="Why.")
    assert code(client.approve_assignment, AssignmentId=assignment) == "InvalidAssignmentState"
    client.approve_assignment(AssignmentId=assignment, OverrideRejection=True)
    assert state(client, assignment) == "Approved"
    assert code(client.approve_assignment, AssignmentId=assignment) == "InvalidAssignmentState"
    assert (
        code(client.reject_assignment, AssignmentId=assignment, RequesterFeedback="No.")
        == "InvalidAssignmentState"
    )


def test_a_rejection_stands_after_thirty_days(client, worker, watch):
    assignment = done(worker, make(client))
    client.reject_assignment(AssignmentId=assignment, RequesterFeedback="Why.")
    watch.forward(days=30, seconds=1)
    overrule = {"AssignmentId": assignment, "OverrideRejection": True}
    assert code(client.approve_assignment, **overrule) == "InvalidAssignmentState"


# The three clocks -------------------------------------------------------------------------------


def test_a_hit_expires_and_becomes_reviewable_when_the_last_worker_is_done(client, worker, watch):
    hit = make(client, LifetimeInSeconds=60)
    one = worker("A1")
    assignment = one.accept(hit)
    watch.forward(seconds=60)
    assert status(client, hit) == "Unassignable"
    with pytest.raises(Turned, match="no more places"):
        worker("A2").accept(hit)
    one.submit(assignment, code="C")
    assert status(client, hit) == "Reviewable"


def test_a_place_is_free_again_when_its_time_runs_out(client, worker, watch):
    hit = make(client, MaxAssignments=1)
    one = worker("A1")
    assignment = one.accept(hit)
    watch.forward(seconds=TYPE["AssignmentDurationInSeconds"])
    assert (status(client, hit), numbers(client, hit)) == ("Assignable", (1, 0, 0))
    with pytest.raises(Turned, match="Too late"):
        one.submit(assignment, code="C")
    done(worker, hit, "A2")


def test_work_is_approved_by_itself_and_paid_when_nobody_decides(client, worker, watch):
    assignment = done(worker, make(client, MaxAssignments=1))
    watch.forward(seconds=TYPE["AutoApprovalDelayInSeconds"] - 1)
    assert state(client, assignment) == "Submitted"
    assert balance(client) == ("9999.40", "0.60")
    watch.forward(seconds=1)
    assert state(client, assignment) == "Approved"
    assert balance(client) == ("9999.40", "0.00")


def test_expiring_and_opening_again(client, worker, watch):
    hit = make(client)
    client.update_expiration_for_hit(HITId=hit, ExpireAt=LONG_AGO)
    assert (status(client, hit), balance(client)[1]) == ("Reviewable", "0.00")
    client.update_expiration_for_hit(HITId=hit, ExpireAt=watch.time + dt.timedelta(hours=1))
    assert (status(client, hit), balance(client)[1]) == ("Assignable", "1.20")
    watch.forward(hours=1)
    assert status(client, hit) == "Reviewable"


# Money ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("people", "held"), [(1, "0.60"), (9, "5.40"), (10, "7.00")])
def test_the_fee_rises_with_the_tenth_person(client, people, held):
    make(client, MaxAssignments=people)
    assert balance(client)[1] == held


def test_money_is_held_paid_and_given_back(client, worker):
    hit = make(client, MaxAssignments=3)
    one, two = done(worker, hit, "A1"), done(worker, hit, "A2")
    assert balance(client) == ("9998.20", "1.80")
    client.approve_assignment(AssignmentId=one)
    assert balance(client) == ("9998.20", "1.20")
    client.reject_assignment(AssignmentId=two, RequesterFeedback="Why.")
    assert balance(client) == ("9998.80", "0.60")
    client.update_expiration_for_hit(HITId=hit, ExpireAt=LONG_AGO)
    assert balance(client) == ("9999.40", "0.00")


def test_nothing_is_made_without_the_money_for_it(client):
    assert code(client.create_hit, **hit_request(Reward="9999")) == "InsufficientFunds"
    assert client.list_hits()["HITs"] == []
    make(client, Reward="4166.66", MaxAssignments=2)
    assert code(client.create_hit, **hit_request()) == "InsufficientFunds"


def test_places_are_added_up_to_the_ninth(client, worker):
    hit = make(client, MaxAssignments=1)
    done(worker, hit)
    more = client.create_additional_assignments_for_hit
    more(HITId=hit, NumberOfAdditionalAssignments=8)
    assert (status(client, hit), numbers(client, hit)) == ("Assignable", (8, 0, 0))
    refused = code(more, HITId=hit, NumberOfAdditionalAssignments=1)
    assert refused == "InvalidMaximumAssignmentsIncrease"


def test_a_bonus_is_paid_to_whoever_did_the_work(client, worker):
    assignment = done(worker, make(client))
    bonus = {"AssignmentId": assignment, "BonusAmount": "1.00", "Reason": "Careful."}
    assert code(client.send_bonus, WorkerId="A2", **bonus) == "WorkerDoesNotMatchAssignment"
    client.send_bonus(WorkerId="AWORKER1", **bonus)
    (paid,) = client.list_bonus_payments(AssignmentId=assignment)["BonusPayments"]
    assert (paid["BonusAmount"], paid["WorkerId"]) == ("1.00", "AWORKER1")
    assert balance(client) == ("9997.60", "1.20")


# Tokens -----------------------------------------------------------------------------------------


def test_a_token_makes_one_hit_a_day(client, watch):
    hit = make(client, UniqueRequestToken="t")
    with pytest.raises(ClientError, match=hit) as caught:
        client.create_hit(**hit_request(UniqueRequestToken="t"))
    assert caught.value.response["TurkErrorCode"].endswith("HITAlreadyExists")
    watch.forward(hours=24)
    assert make(client, UniqueRequestToken="t") != hit


def test_a_token_pays_one_bonus_and_adds_places_once(client, worker):
    hit = make(client, MaxAssignments=1)
    bonus = {
        "AssignmentId": done(worker, hit),
        "WorkerId": "AWORKER1",
        "BonusAmount": "1.00",
        "Reason": "Careful.",
        "UniqueRequestToken": "t",
    }
    client.send_bonus(**bonus)
    assert code(client.send_bonus, **bonus) == "DuplicateRequest"
    more = {"HITId": hit, "NumberOfAdditionalAssignments": 2, "UniqueRequestToken": "t"}
    client.create_additional_assignments_for_hit(**more)
    assert code(client.create_additional_assignments_for_hit, **more) == "DuplicateRequest"
    assert client.get_hit(HITId=hit)["HIT"]["MaxAssignments"] == 3


def test_a_refused_request_does_not_use_up_its_token(client):
    assert (
        code(client.create_hit, **hit_request(Reward="9999", UniqueRequestToken="t"))
        == "InsufficientFunds"
    )
    make(client, UniqueRequestToken="t")


# Who may work -----------------------------------------------------------------------------------


def asks(kind, comparator, **values) -> dict:
    return {"QualificationTypeId": kind, "Comparator": comparator, **values}


RATE, NUMBER, PLACE = "000000000000000000L0", "00000000000000000040", "00000000000000000071"


@pytest.mark.parametrize(
    ("requirement", "welcome", "refused"),
    [
        (
            asks(RATE, "GreaterThanOrEqualTo", IntegerValues=[95]),
            {"approved": "95", "rejected": "5"},
            {"approved": "949", "rejected": "51"},
        ),
        (
            asks(NUMBER, "GreaterThan", IntegerValues=[100]),
            {"approved": "101"},
            {"approved": "100"},
        ),
        (
            asks(PLACE, "In", LocaleValues=[{"Country": "US"}, {"Country": "GB"}]),
            {"country": "GB"},
            {"country": "FR"},
        ),
        (asks(PLACE, "NotEqualTo", LocaleValues=[{"Country": "US"}]), {"country": "FR"}, {}),
    ],
)
def test_a_requirement_lets_some_in_and_keeps_others_out(
    client, worker, requirement, welcome, refused
):
    hit = make(client, QualificationRequirements=[requirement])
    with pytest.raises(Turned, match="qualifications"):
        worker("A1", **refused).accept(hit)
    assert worker("A2", **welcome).accept(hit)


def test_new_workers_count_as_perfect(client, worker):
    requirement = asks(RATE, "EqualTo", IntegerValues=[100])
    hit = make(client, QualificationRequirements=[requirement])
    assert worker("A1", approved="1", rejected="90").accept(hit)


def test_a_qualification_is_given_and_taken(client, worker):
    kind = client.create_qualification_type(
        Name="Took part", Description="d", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    hidden = asks(kind, "DoesNotExist", ActionsGuarded="DiscoverPreviewAndAccept")
    hit = make(client, QualificationRequirements=[hidden])
    client.associate_qualification_with_worker(QualificationTypeId=kind, WorkerId="A1")
    assert worker("A1").hits() == []
    assert [one["hit"] for one in worker("A2").hits()] == [hit]
    listed = client.list_workers_with_qualification_type(QualificationTypeId=kind)
    assert [one["WorkerId"] for one in listed["Qualifications"]] == ["A1"]
    client.disassociate_qualification_from_worker(QualificationTypeId=kind, WorkerId="A1")
    assert worker("A1").accept(hit)
    again = {"QualificationTypeId": kind, "WorkerId": "A1"}
    revoke = client.disassociate_qualification_from_worker
    assert code(revoke, **again) == "QualificationDoesNotExist"


def test_a_requirement_must_name_what_exists(client):
    wrong = [asks("3NOSUCH", "Exists")]
    refused = code(client.create_hit, **hit_request(QualificationRequirements=wrong))
    assert refused == "QualificationTypeDoesNotExist"


def test_a_name_stands_for_one_qualification(client):
    wanted = {"Name": "Same", "Description": "d", "QualificationTypeStatus": "Active"}
    client.create_qualification_type(**wanted)
    refused = code(client.create_qualification_type, **wanted)
    assert refused == "QualificationTypeAlreadyExists"
    listed = client.list_qualification_types(Query="same", MustBeRequestable=False)
    assert listed["NumResults"] == 1


def test_one_worker_has_one_assignment_of_a_hit(client, worker):
    hit = make(client)
    one = worker("A1")
    one.give_back(one.accept(hit))
    one.submit(one.accept(hit), code="C")
    with pytest.raises(Turned, match="before"):
        one.accept(hit)


def test_the_same_values_make_the_same_type(client):
    first = client.create_hit_type(**TYPE)["HITTypeId"]
    assert client.create_hit_type(**TYPE)["HITTypeId"] == first
    assert client.create_hit_type(**TYPE | {"Reward": "0.51"})["HITTypeId"] != first
    made = client.create_hit_with_hit_type(
        HITTypeId=first, LifetimeInSeconds=60, Question=hit_request()["Question"]
    )
    assert made["HIT"]["Title"] == TYPE["Title"]


def test_letters_reach_those_whose_work_was_decided(client, worker, server):
    client.approve_assignment(AssignmentId=done(worker, make(client)))
    answer = client.notify_workers(
        Subject="Thanks", MessageText="More soon.", WorkerIds=["AWORKER1", "ASTRANGER"]
    )
    (failure,) = answer["NotifyWorkersFailureStatuses"]
    assert failure["WorkerId"] == "ASTRANGER"
    assert [message.worker for message in server.service.market.messages] == ["AWORKER1"]
