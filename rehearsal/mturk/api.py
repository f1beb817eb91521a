"""The requester's side: one address, the operation in a header, JSON in and out."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from botocore.loaders import Loader
from botocore.model import ListShape, ServiceModel, Shape, StringShape, StructureShape

from rehearsal.mturk.exchange import Call, Reply, json_reply, troubled
from rehearsal.mturk.faults import Faults
from rehearsal.mturk.limits import prose_faults
from rehearsal.mturk.refusals import Refusal
from rehearsal.mturk.service import Clock, MarketService, wall_clock
from rehearsal.mturk.signature import Keys, check_signature

API_VERSION = "2017-01-17"
CONTENT_TYPE = "application/x-amz-json-1.1"
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "long": (int,),
    "boolean": (bool,),
    "timestamp": (int, float),
    "list": (list,),
    "structure": (dict,),
}


@dataclass
class Api:
    """Requests of boto3's, checked from signature to last character, and carried out."""

    service: MarketService
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
            answer = self.service.act(operation, request)
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


@cache
def service_model() -> ServiceModel:
    model = Loader().load_service_model("mturk", "service-2", API_VERSION)
    return ServiceModel(model, "mturk")


def operation_named(target: str) -> str:
    """The operation that an X-Amz-Target names."""
    prefix, _, name = target.partition(".")
    if (
        prefix != service_model().metadata["targetPrefix"]
        or name not in service_model().operation_names
    ):
        raise Refusal(f"{target} is no operation.", kind="UnknownOperationException")
    return name


def check_request(operation: str, request: Any) -> None:
    """Refuse what the service's model forbids, then what only its documentation forbids."""
    shape = service_model().operation_model(operation).input_shape
    if faults := list(faults_of(shape, request, "")):
        number = "1 validation error" if len(faults) == 1 else f"{len(faults)} validation errors"
        raise Refusal(f"{number} detected: {'; '.join(faults)}", kind="ValidationException")
    if faults := list(prose_faults(operation, request)):
        raise Refusal("; ".join(faults), "ParameterValidationError")


def check_answer(operation: str, answer: dict[str, Any]) -> None:
    """An answer the model does not describe is a fault of ours, and is not sent."""
    shape = service_model().operation_model(operation).output_shape
    if faults := list(faults_of(shape, answer, "")):
        raise AssertionError(f"{operation} answered what it cannot: {'; '.join(faults)}")


def faults_of(shape: Shape | None, value: Any, path: str) -> Iterator[str]:
    """Every way in which a value is not what its shape says."""
    if shape is None:
        if value:
            yield f"{path or 'the request'} must be empty"
        return
    if not _is_of(shape, value):
        yield f"Value at '{path}' must be of type {shape.type_name}"
    elif isinstance(shape, StructureShape):
        yield from _structure_faults(shape, value, path)
    elif isinstance(shape, ListShape):
        for index, member in enumerate(value):
            yield from faults_of(shape.member, member, f"{path}.{index + 1}.member")
    elif isinstance(shape, StringShape):
        yield from _text_faults(shape, value, path)
    else:
        yield from _range_faults(shape, value, path)


def _is_of(shape: Shape, value: Any) -> bool:
    """Python takes True for a number, the service does not."""
    wanted = TYPES[shape.type_name]
    return isinstance(value, wanted) and (bool in wanted or not isinstance(value, bool))


def _structure_faults(shape: StructureShape, value: dict[str, Any], path: str) -> Iterator[str]:
    for name in shape.required_members:
        if name not in value:
            yield f"Value null at '{_below(path, name)}': Member must not be null"
    for name, member in value.items():
        if name in shape.members:
            yield from faults_of(shape.members[name], member, _below(path, name))
        else:
            yield f"'{_below(path, name)}' is not known"


def _text_faults(shape: StringShape, value: str, path: str) -> Iterator[str]:
    constraint = f"Value '{value[:80]}' at '{path}' failed to satisfy constraint: Member must"
    if len(value) > shape.metadata.get("max", len(value)):
        yield f"{constraint} have length less than or equal to {shape.metadata['max']}"
    if len(value) < shape.metadata.get("min", 0):
        yield f"{constraint} have length greater than or equal to {shape.metadata['min']}"
    pattern = shape.metadata.get("pattern")
    if pattern and not re.fullmatch(pattern, value):
        yield f"{constraint} satisfy regular expression pattern: {pattern}"
    if shape.enum and value not in shape.enum:
        yield f"{constraint} satisfy enum value set: [{', '.join(shape.enum)}]"


def _range_faults(shape: Shape, value: float, path: str) -> Iterator[str]:
    constraint = f"Value '{value}' at '{path}' failed to satisfy constraint: Member must have value"
    if value > shape.metadata.get("max", value):
        yield f"{constraint} less than or equal to {shape.metadata['max']}"
    if value < shape.metadata.get("min", value):
        yield f"{constraint} greater than or equal to {shape.metadata['min']}"


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
