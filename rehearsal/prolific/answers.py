"""What the market answers with, in Prolific's own shapes."""

from __future__ import annotations

import datetime as dt
from typing import Any

from rehearsal.prolific.market import BonusBatch, Group, Market, Refusal, Study, Submission


def study_answer(study: Study) -> dict[str, Any]:
    return {
        **study.fields,
        "id": study.id,
        "status": study.status,
        "date_created": _time(study.created_at),
        "number_of_submissions": 0,
    }


def study_line(study: Study) -> dict[str, Any]:
    return {
        "id": study.id,
        "name": study.fields["name"],
        "internal_name": study.fields["internal_name"],
        "status": study.status,
        "reward": study.fields["reward"],
        "total_available_places": study.places,
        "date_created": _time(study.created_at),
    }


def progress_answer(market: Market, study: Study) -> dict[str, Any]:
    return {
        "id": study.id,
        "progress": [
            {**detail, "allocated": market.allocated(study, detail["external_url"])}
            for detail in study.access_details
        ],
    }


def submission_line(one: Submission) -> dict[str, Any]:
    return {
        "id": one.id,
        "participant_id": one.participant,
        "status": one.status,
        "started_at": _time(one.started_at),
        "completed_at": _time(one.completed_at),
        "study_code": one.code,
        "has_siblings": False,
        "return_requested": _time(one.return_requested),
    }


def submission_answer(one: Submission) -> dict[str, Any]:
    return {
        "id": one.id,
        "participant": one.participant,
        "study_id": one.study,
        "status": one.status,
        "started_at": _time(one.started_at),
        "completed_at": _time(one.completed_at),
        "entered_code": one.code,
        "bonus_payments": one.bonuses,
    }


def bonus_answer(market: Market, batch: BonusBatch) -> dict[str, Any]:
    amount, total = sum(batch.amounts.values()), market.bonus_cost(batch)
    return {
        "id": batch.id,
        "study": batch.study,
        "amount": amount,
        "fees": total - amount,
        "vat": 0,
        "total_amount": total,
    }


def group_answer(market: Market, group: Group) -> dict[str, Any]:
    return {
        "id": group.id,
        "name": group.name,
        "workspace_id": market.workspace,
        "participant_count": len(group.members),
        "is_deleted": False,
    }


def members_answer(group: Group) -> dict[str, Any]:
    return {
        "results": [
            {"participant_id": person, "datetime_created": _time(since)}
            for person, since in group.members.items()
        ]
    }


def error_answer(refusal: Refusal, *, wrapped: bool) -> dict[str, Any]:
    """Half of the calls wrap their error in another object, as the document has it."""
    detail = {
        "status": refusal.status,
        "error_code": 140_000 + refusal.status,
        "title": "Error",
        "detail": refusal.detail,
    }
    return {"error": detail} if wrapped else detail


def _time(moment: dt.datetime | None) -> str | None:
    return moment.isoformat() if moment else None
