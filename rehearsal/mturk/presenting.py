"""The marketplace's records in the words of the wire."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

from rehearsal.mturk.marketplace import Marketplace
from rehearsal.mturk.records import Assignment, Bonus, Grant, Hit, QualificationType, State

Answer = dict[str, Any]


def money(amount: Decimal) -> str:
    return f"{amount:.2f}"


def seconds(moment: dt.datetime) -> float:
    return round(moment.timestamp(), 3)


def hit(market: Marketplace, hit: Hit) -> Answer:
    now = market.now
    return {
        "HITId": hit.id,
        "HITTypeId": hit.type_id,
        "HITGroupId": hit.type_id,
        "CreationTime": seconds(hit.created_at),
        "Title": hit.type.title,
        "Description": hit.type.description,
        "Question": hit.question,
        "Keywords": hit.type.keywords,
        "HITStatus": str(hit.status(now)),
        "MaxAssignments": hit.max_assignments,
        "Reward": money(hit.type.reward),
        "AutoApprovalDelayInSeconds": hit.type.auto_approval,
        "Expiration": seconds(hit.expires_at),
        "AssignmentDurationInSeconds": hit.type.duration,
        "RequesterAnnotation": hit.annotation,
        "QualificationRequirements": [json.loads(text) for text in hit.type.requirements],
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": hit.count(State.ACCEPTED),
        "NumberOfAssignmentsAvailable": hit.available(now),
        "NumberOfAssignmentsCompleted": hit.count(State.APPROVED, State.REJECTED),
    }


def assignment(assignment: Assignment) -> Answer:
    moments = {
        "AcceptTime": assignment.accepted_at,
        "SubmitTime": assignment.submitted_at,
        "AutoApprovalTime": assignment.auto_approval_at,
        "ApprovalTime": assignment.approved_at,
        "RejectionTime": assignment.rejected_at,
        "Deadline": assignment.deadline,
    }
    answer: Answer = {
        "AssignmentId": assignment.id,
        "WorkerId": assignment.worker,
        "HITId": assignment.hit,
        "AssignmentStatus": str(assignment.state),
        "Answer": assignment.answer,
    }
    answer |= {name: seconds(moment) for name, moment in moments.items() if moment is not None}
    return answer | ({"RequesterFeedback": assignment.feedback} if assignment.feedback else {})


def bonus(bonus: Bonus) -> Answer:
    return {
        "WorkerId": bonus.worker,
        "BonusAmount": money(bonus.amount),
        "AssignmentId": bonus.assignment,
        "Reason": bonus.reason,
        "GrantTime": seconds(bonus.granted_at),
    }


def qualification_type(kind: QualificationType) -> Answer:
    return {
        "QualificationTypeId": kind.id,
        "CreationTime": seconds(kind.created_at),
        "Name": kind.name,
        "Description": kind.description,
        "Keywords": kind.keywords,
        "QualificationTypeStatus": kind.status,
        "IsRequestable": False,
        **kind.settings,
    }


def qualification(kind: QualificationType, grant: Grant) -> Answer:
    answer: Answer = {
        "QualificationTypeId": kind.id,
        "WorkerId": grant.worker,
        "GrantTime": seconds(grant.granted_at),
        "Status": "Revoked" if grant.revoked else "Granted",
    }
    return answer | ({} if grant.value is None else {"IntegerValue": grant.value})
