"""The requester's side: one address, the operation in a header, JSON in and out."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from rehearsal.mturk.desk import Clock, Desk, wall_clock
from rehearsal.mturk.exchange import Call, Reply, json_reply, troubled
from rehearsal.mturk.faults import Faults
from rehearsal.mturk.refusals import Refusal
from rehearsal.mturk.signature import Keys, check_signature
from rehearsal.mturk.wire import CONTENT_TYPE, check_answer, check_request, operation_named


@dataclass
class Api:
    """Requests of boto3's, checked from signature to last character, and carried out."""

    desk: Desk
    keys: Keys
    faults: Faults = field(default_factory=Faults)
    clock: Clock = wall_clock  # signatures are made at true time, whatever the marketplace's is

    def reply(self, call: Call) -> Reply:
        try:
            check_signature(
                call.headers, call.body, host=call.host, keys=self.keys, now=self.clock()
            )
            operation = operation_named(call.headers.get("X-Amz-Target", ""))
            request = _read(call)
            fault = self.faults.take(operation)
            return troubled(fault, lambda: self._perform(operation, request))
        except Refusal as refusal:
            return _reply(refusal.body(), 500 if refusal.kind == "InternalFailure" else 400)

    def _perform(self, operation: str, request: dict[str, Any]) -> Reply:
        """Every delivery is answered by itself: of two, the second may be refused."""
        try:
            check_request(operation, request)
            answer = self.desk.act(operation, request)
        except Refusal as refusal:
            return _reply(refusal.body(), 400)
        check_answer(operation, answer)
        return _reply(answer)


def _read(call: Call) -> dict[str, Any]:
    if call.headers.get("Content-Type") != CONTENT_TYPE:
        raise Refusal(f"Content-Type must be {CONTENT_TYPE}.", kind="SerializationException")
    try:
        request = json.loads(call.body or b"{}")
    except ValueError:
        request = None
    if not isinstance(request, dict):
        raise Refusal("The body is no JSON object.", kind="SerializationException")
    return request


def _reply(answer: dict[str, Any], status: int = 200) -> Reply:
    # An answer without members is an empty body, as the service sends it.
    headers = {"x-amzn-RequestId": secrets.token_hex(16)}
    if not answer:
        return Reply(status, b"", CONTENT_TYPE, headers)
    return json_reply(answer, status, CONTENT_TYPE, headers)
