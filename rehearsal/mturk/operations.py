"""The requester's operations, each a function from a checked request to an answer."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from rehearsal.mturk import presenting
from rehearsal.mturk.marketplace import Marketplace
from rehearsal.mturk.paging import page
from rehearsal.mturk.qualification_operations import OPERATIONS as QUALIFICATION_OPERATIONS
from rehearsal.mturk.qualifying import SYSTEM
from rehearsal.mturk.records import LISTED, Hit, HitType, Message, Status
from rehearsal.mturk.refusals import Refusal

Request = dict[str, Any]
Answer = dict[str, Any]
Operation = Callable[[Marketplace, Request], Answer]
MONTH = 30 * 86_400


# HITs -------------------------------------------------------------------------------------------


def create_hit_type(market: Marketplace, request: Request) -> Answer:
    return {"HITTypeId": market.register_type(_hit_type(market, request))}


def create_hit(market: Marketplace, request: Request) -> Answer:
    _refuse_repeated_hit(market, request)
    type_id = market.register_type(_hit_type(market, request))
    return _create_hit(market, request | {"HITTypeId": type_id})


def create_hit_with_hit_type(market: Marketplace, request: Request) -> Answer:
    _refuse_repeated_hit(market, request)
    return _create_hit(market, request)


def _refuse_repeated_hit(market: Marketplace, request: Request) -> None:
    market.spend_token("hit", request.get("UniqueRequestToken"), "HITAlreadyExists")


def _create_hit(market: Marketplace, request: Request) -> Answer:
    hit = market.create_hit(
        request["HITTypeId"],
        question=request["Question"],
        people=request.get("MaxAssignments", 1),
        lifetime=request["LifetimeInSeconds"],
        annotation=request.get("RequesterAnnotation", ""),
    )
    market.keep_token("hit", request.get("UniqueRequestToken"), hit.id)
    return {"HIT": presenting.hit(market, hit)}


def _hit_type(market: Marketplace, request: Request) -> HitType:
    requirements = request.get("QualificationRequirements", [])
    for requirement in requirements:
        if requirement["QualificationTypeId"] not in SYSTEM:
            market.qualification(requirement["QualificationTypeId"])
    return HitType(
        title=request["Title"],
        description=request["Description"],
        keywords=request.get("Keywords", ""),
        reward=Decimal(request["Reward"]),
        duration=request["AssignmentDurationInSeconds"],
        auto_approval=request.get("AutoApprovalDelayInSeconds", MONTH),
        requirements=tuple(json.dumps(one, sort_keys=True) for one in requirements),
    )


def get_hit(market: Marketplace, request: Request) -> Answer:
    return {"HIT": presenting.hit(market, market.hit(request["HITId"]))}


def list_hits(market: Marketplace, request: Request) -> Answer:
    return _hit_page(market, request, (hit for hit in _newest(market) if not hit.disposed))


def list_reviewable_hits(market: Marketplace, request: Request) -> Answer:
    status = request.get("Status", Status.REVIEWABLE)
    wanted_type = request.get("HITTypeId")
    hits = (
        hit
        for hit in _newest(market)
        if hit.status(market.now) == status and wanted_type in (None, hit.type_id)
    )
    return _hit_page(market, request, hits)


def _newest(market: Marketplace) -> Iterable[Hit]:
    return reversed(market.hits.values())


def _hit_page(market: Marketplace, request: Request, hits: Iterable[Hit]) -> Answer:
    entries = [(-hit.number, hit) for hit in hits]
    return page(request, "HITs", entries, lambda hit: presenting.hit(market, hit))


def create_additional_assignments(market: Marketplace, request: Request) -> Answer:
    token = request.get("UniqueRequestToken")
    market.spend_token("extend", token, "DuplicateRequest")
    market.extend(market.hit(request["HITId"]), request["NumberOfAdditionalAssignments"])
    market.keep_token("extend", token, request["HITId"])
    return {}


def update_expiration(market: Marketplace, request: Request) -> Answer:
    when = dt.datetime.fromtimestamp(request["ExpireAt"], dt.UTC)
    market.set_expiry(market.hit(request["HITId"]), when)
    return {}


def update_review_status(market: Marketplace, request: Request) -> Answer:
    hit = market.hit(request["HITId"])
    revert = request.get("Revert", False)
    market.require_status(hit, Status.REVIEWING if revert else Status.REVIEWABLE)
    hit.reviewing = not revert
    return {}


def delete_hit(market: Marketplace, request: Request) -> Answer:
    market.dispose(market.hit(request["HITId"]))
    return {}


# Assignments ------------------------------------------------------------------------------------


def get_assignment(market: Marketplace, request: Request) -> Answer:
    assignment = market.assignment(request["AssignmentId"])
    market.require_state(assignment, *LISTED)
    hit = market.hits[assignment.hit]
    return {
        "Assignment": presenting.assignment(assignment),
        "HIT": presenting.hit(market, hit),
    }


def list_assignments(market: Marketplace, request: Request) -> Answer:
    hit = market.hit(request["HITId"])
    states = request.get("AssignmentStatuses") or [str(state) for state in LISTED]
    numbered = enumerate(hit.assignments.values())
    listed = [(number, one) for number, one in numbered if str(one.state) in states]
    return page(request, "Assignments", listed, presenting.assignment)


def approve_assignment(market: Marketplace, request: Request) -> Answer:
    market.approve(
        market.assignment(request["AssignmentId"]),
        request.get("RequesterFeedback", ""),
        overrule=request.get("OverrideRejection", False),
    )
    return {}


def reject_assignment(market: Marketplace, request: Request) -> Answer:
    market.reject(market.assignment(request["AssignmentId"]), request["RequesterFeedback"])
    return {}


def send_bonus(market: Marketplace, request: Request) -> Answer:
    token = request.get("UniqueRequestToken")
    market.spend_token("bonus", token, "DuplicateRequest")
    assignment = market.assignment(request["AssignmentId"])
    market.require_state(assignment, *LISTED)
    if assignment.worker != request["WorkerId"]:
        raise Refusal(
            f"Worker {request['WorkerId']} did not work on assignment {assignment.id}.",
            "WorkerDoesNotMatchAssignment",
        )
    market.pay_bonus(assignment, Decimal(request["BonusAmount"]), request["Reason"])
    market.keep_token("bonus", token, assignment.id)
    return {}


def list_bonus_payments(market: Marketplace, request: Request) -> Answer:
    if "AssignmentId" in request:
        paid = market.bonuses.get(market.assignment(request["AssignmentId"]).id, [])
    elif "HITId" in request:
        worked = market.hit(request["HITId"]).assignments
        paid = [bonus for one in worked for bonus in market.bonuses.get(one, [])]
    else:
        raise Refusal("Either HITId or AssignmentId must be given.", "ParameterValidationError")
    return page(request, "BonusPayments", list(enumerate(paid)), presenting.bonus)


# Account and letters ----------------------------------------------------------------------------


def get_account_balance(market: Marketplace, request: Request) -> Answer:
    account = market.account
    return {
        "AvailableBalance": presenting.money(account.available),
        "OnHoldBalance": presenting.money(account.held),
    }


def notify_workers(market: Marketplace, request: Request) -> Answer:
    strangers = [one for one in request["WorkerIds"] if not market.knows(one)]
    market.messages += [
        Message(one, request["Subject"], request["MessageText"], market.now)
        for one in request["WorkerIds"]
        if one not in strangers
    ]
    failures = [
        {
            "NotifyWorkersFailureCode": "HardFailure",
            "NotifyWorkersFailureMessage": "You have never approved or rejected their work.",
            "WorkerId": one,
        }
        for one in strangers
    ]
    return {"NotifyWorkersFailureStatuses": failures}


OPERATIONS: dict[str, Operation] = {
    "ApproveAssignment": approve_assignment,
    "CreateAdditionalAssignmentsForHIT": create_additional_assignments,
    "CreateHIT": create_hit,
    "CreateHITType": create_hit_type,
    "CreateHITWithHITType": create_hit_with_hit_type,
    "DeleteHIT": delete_hit,
    "GetAccountBalance": get_account_balance,
    "GetAssignment": get_assignment,
    "GetHIT": get_hit,
    "ListAssignmentsForHIT": list_assignments,
    "ListBonusPayments": list_bonus_payments,
    "ListHITs": list_hits,
    "ListReviewableHITs": list_reviewable_hits,
    "NotifyWorkers": notify_workers,
    "RejectAssignment": reject_assignment,
    "SendBonus": send_bonus,
    "UpdateExpirationForHIT": update_expiration,
    "UpdateHITReviewStatus": update_review_status,
    **QUALIFICATION_OPERATIONS,
}
