"""The requester's operations on qualifications."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rehearsal.mturk import presenting
from rehearsal.mturk.marketplace import Marketplace
from rehearsal.mturk.paging import page
from rehearsal.mturk.records import Grant, QualificationType
from rehearsal.mturk.refusals import Refusal

Request = dict[str, Any]
Answer = dict[str, Any]
TOLD_BACK = (
    "RetryDelayInSeconds",
    "Test",
    "AnswerKey",
    "TestDurationInSeconds",
    "AutoGranted",
    "AutoGrantedValue",
)


def create_type(market: Marketplace, request: Request) -> Answer:
    if any(kind.name == request["Name"] for kind in market.qualifications.values()):
        raise Refusal(
            f"You have already created a QualificationType with this name: {request['Name']}.",
            "QualificationTypeAlreadyExists",
        )
    kind = QualificationType(
        id=market.new_id(),
        name=request["Name"],
        description=request["Description"],
        keywords=request.get("Keywords", ""),
        status=request["QualificationTypeStatus"],
        created_at=market.now,
        settings={name: request[name] for name in TOLD_BACK if name in request},
    )
    market.qualifications[kind.id] = kind
    return {"QualificationType": presenting.qualification_type(kind)}


def get_type(market: Marketplace, request: Request) -> Answer:
    kind = market.qualification(request["QualificationTypeId"])
    return {"QualificationType": presenting.qualification_type(kind)}


def list_types(market: Marketplace, request: Request) -> Answer:
    query = request.get("Query", "").lower()
    numbered = enumerate(market.qualifications.values())
    found = [(number, kind) for number, kind in numbered if query in kind.name.lower()]
    return page(request, "QualificationTypes", found, presenting.qualification_type)


def delete_type(market: Marketplace, request: Request) -> Answer:
    """The mark is taken from everybody; a requirement that names it is then met by nobody."""
    kind = market.qualification(request["QualificationTypeId"])
    del market.qualifications[kind.id]
    return {}


def grant(market: Marketplace, request: Request) -> Answer:
    kind = market.qualification(request["QualificationTypeId"])
    worker = market.worker(request["WorkerId"]).id
    kind.grants[worker] = Grant(worker, market.now, request.get("IntegerValue", 1))
    return {}


def revoke(market: Marketplace, request: Request) -> Answer:
    kind = market.qualification(request["QualificationTypeId"])
    _granted(kind, request["WorkerId"]).revoked = True
    return {}


def get_score(market: Marketplace, request: Request) -> Answer:
    kind = market.qualification(request["QualificationTypeId"])
    granted = _granted(kind, request["WorkerId"])
    return {"Qualification": presenting.qualification(kind, granted)}


def list_workers(market: Marketplace, request: Request) -> Answer:
    kind = market.qualification(request["QualificationTypeId"])
    revoked = request.get("Status") == "Revoked"
    numbered = enumerate(kind.grants.values())
    listed = [(number, one) for number, one in numbered if one.revoked == revoked]
    return page(request, "Qualifications", listed, lambda one: presenting.qualification(kind, one))


def _granted(kind: QualificationType, worker: str) -> Grant:
    granted = kind.grants.get(worker)
    if granted is None or granted.revoked:
        raise Refusal(
            f"Worker {worker} does not have the qualification {kind.id}.",
            "QualificationDoesNotExist",
        )
    return granted


OPERATIONS: dict[str, Callable[[Marketplace, Request], Answer]] = {
    "AssociateQualificationWithWorker": grant,
    "CreateQualificationType": create_type,
    "DeleteQualificationType": delete_type,
    "DisassociateQualificationFromWorker": revoke,
    "GetQualificationScore": get_score,
    "GetQualificationType": get_type,
    "ListQualificationTypes": list_types,
    "ListWorkersWithQualificationType": list_workers,
}
