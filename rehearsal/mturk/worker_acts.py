"""What workers do on the marketplace's pages, each a function from a request to an answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from xml.sax.saxutils import escape

from rehearsal.mturk import presenting
from rehearsal.mturk.limits import external_url
from rehearsal.mturk.marketplace import Marketplace
from rehearsal.mturk.records import Assignment, Hit, State
from rehearsal.mturk.refusals import Refusal

Request = dict[str, Any]
Answer = dict[str, Any]
WORKER_ID = re.compile(r"A[A-Z0-9]{1,63}")
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
SHOWN_AT_ONCE = 100
ANSWERS = (
    '<?xml version="1.0" encoding="UTF-8"?><QuestionFormAnswers xmlns="http://mechanicalturk.'
    'amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd">'
)


def sign_in(market: Marketplace, request: Request) -> Answer:
    """Come as somebody, with the record they say they have: nothing here is for real."""
    if not WORKER_ID.fullmatch(request["worker"]):
        raise Refusal("A worker's id begins with A; capital letters and digits follow.")
    worker = market.worker(request["worker"])
    for name in ("approved", "rejected"):
        setattr(worker, name, max(getattr(worker, name), int(request.get(name, 0))))
    worker.country = request.get("country") or worker.country
    return {"worker": worker.id}


def look(market: Marketplace, request: Request) -> Answer:
    """The HITs a worker may find, with what they have in hand and have earned."""
    worker = request["worker"]
    mine = [one for one in market.assignments.values() if one.worker == worker]
    found = []
    for hit in market.open_hits(worker):
        if not market.obstacle(hit, worker, "accept"):
            found.append(_card(market, hit))
        if len(found) == SHOWN_AT_ONCE:
            break
    return {
        "hits": found,
        "in_hand": [
            _card(market, market.hits[one.hit]) | {"assignment": one.id}
            for one in mine
            if one.state is State.ACCEPTED
        ],
        "submitted": sum(one.state is State.SUBMITTED for one in mine),
        "approved": sum(one.state is State.APPROVED for one in mine),
        "rejected": sum(one.state is State.REJECTED for one in mine),
        "messages": [
            {"subject": message.subject, "text": message.text}
            for message in market.messages
            if message.worker == worker
        ],
    }


def look_at_hit(market: Marketplace, request: Request) -> Answer:
    """A preview: the page as it is shown to somebody who has not accepted."""
    hit = market.hit(request["hit"])
    worker = request["worker"]
    if sentence := market.obstacle(hit, worker, "preview"):
        raise Refusal(sentence)
    parameters = {"assignmentId": NOT_ACCEPTED, "hitId": hit.id}
    return _card(market, hit) | {
        "frame": _frame(hit, parameters),
        "obstacle": market.obstacle(hit, worker, "accept"),
    }


def look_at_group(market: Marketplace, request: Request) -> Answer:
    """Any HIT of a kind that has a place left."""
    for hit in market.open_hits(request["worker"]):
        if hit.type_id == request["group"] and not market.obstacle(
            hit, request["worker"], "accept"
        ):
            return {"hit": hit.id}
    raise Refusal("There are no more HITs of this kind for you.")


def look_at_assignment(market: Marketplace, request: Request) -> Answer:
    """The page as it is shown to somebody who works on it."""
    assignment = _own(market, request)
    hit = market.hits[assignment.hit]
    parameters = {
        "assignmentId": assignment.id,
        "hitId": hit.id,
        "workerId": assignment.worker,
        "turkSubmitTo": request["submit_to"],
    }
    left = (assignment.deadline - market.now).total_seconds()
    return _card(market, hit) | {
        "assignment": assignment.id,
        "state": str(assignment.state),
        "frame": _frame(hit, parameters),
        "minutes_left": max(0, round(left / 60)),
    }


def accept(market: Marketplace, request: Request) -> Answer:
    assignment = market.accept(market.hit(request["hit"]), request["worker"])
    return {"assignment": assignment.id}


def give_back(market: Marketplace, request: Request) -> Answer:
    market.give_back(market.assignment(request["assignment"]), request["worker"])
    return {}


def submit(market: Marketplace, request: Request) -> Answer:
    """The form a page posts at its end: which assignment, and at least one field more."""
    fields = request["fields"]
    if not fields:
        raise Refusal("The form has no field beside assignmentId.")
    market.submit(market.assignment(request["assignment"]), _answers(fields))
    return {}


def _own(market: Marketplace, request: Request) -> Assignment:
    assignment = market.assignment(request["assignment"])
    if assignment.worker != request["worker"]:
        raise Refusal("You are not working on this HIT.")
    return assignment


def _card(market: Marketplace, hit: Hit) -> Answer:
    return {
        "hit": hit.id,
        "title": hit.type.title,
        "description": hit.type.description,
        "reward": presenting.money(hit.type.reward),
        "places": hit.available(market.now),
        "minutes": hit.type.duration // 60,
    }


def _frame(hit: Hit, parameters: dict[str, str]) -> str:
    """The requester's page, with what the marketplace tells it."""
    parts = urlsplit(external_url(hit.question))
    query = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *parameters.items()])
    return urlunsplit(parts._replace(query=query))


def _answers(fields: dict[str, str]) -> str:
    answers = "".join(
        f"<Answer><QuestionIdentifier>{_text(name)}</QuestionIdentifier>"
        f"<FreeText>{_text(value)}</FreeText></Answer>"
        for name, value in fields.items()
    )
    return f"{ANSWERS}{answers}</QuestionFormAnswers>"


def _text(text: str) -> str:
    return escape(NOT_XML.sub("", text))


WORKER_ACTS: dict[str, Callable[[Marketplace, Request], Answer]] = {
    "accept": accept,
    "give-back": give_back,
    "look": look,
    "look-at-assignment": look_at_assignment,
    "look-at-group": look_at_group,
    "look-at-hit": look_at_hit,
    "sign-in": sign_in,
    "submit": submit,
}
