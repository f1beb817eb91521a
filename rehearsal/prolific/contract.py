"""Whether what is said over the wire keeps to Prolific's own document, or to ours without it.

The document belongs to Prolific and is not part of this repository. It is looked for in the
folder that `DA_SPECS` names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Protocol

from pydantic import TypeAdapter, ValidationError

from crowds.prolific import shapes

DOCUMENT: Final = "prolific-openapi.yml"
API: Final = "/api/v1"
# What the gateway says it sends, by call.
DECLARED: Final[Mapping[tuple[str, str], type[shapes.Shape]]] = {
    ("POST", f"{API}/studies/"): shapes.DraftStudy,
    ("PATCH", f"{API}/studies/{{id}}/"): shapes.MorePlaces,
    ("POST", f"{API}/studies/{{id}}/transition/"): shapes.StudyMove,
    ("POST", f"{API}/study-cost-calculator/"): shapes.CostQuestion,
    ("POST", f"{API}/submissions/{{id}}/transition/"): shapes.SubmissionMove,
    ("POST", f"{API}/submissions/bulk-approve/"): shapes.Approvals,
    ("POST", f"{API}/submissions/bonus-payments/"): shapes.Bonuses,
    ("POST", f"{API}/messages/bulk/"): shapes.BulkMessage,
    ("POST", f"{API}/participant-groups/"): shapes.NewGroup,
    ("POST", f"{API}/participant-groups/{{id}}/participants/"): shapes.People,
    ("DELETE", f"{API}/participant-groups/{{id}}/participants/"): shapes.People,
    ("POST", f"{API}/hooks/secrets/"): shapes.NewSecret,
    ("POST", f"{API}/hooks/subscriptions/"): shapes.Subscription,
    ("POST", f"{API}/hooks/subscriptions/{{subscription_id}}/"): shapes.Confirmation,
}


class Contract(Protocol):
    """What two sides agreed on."""

    def request_faults(self, method: str, path: str, body: Any) -> list[str]: ...

    def answer_faults(self, method: str, path: str, status: int, body: Any) -> list[str]: ...


class DeclaredContract:
    """The shapes the gateway declares; of answers it knows nothing."""

    def request_faults(self, method: str, path: str, body: Any) -> list[str]:
        shape = DECLARED.get((method, path))
        if shape is None:
            return [] if body is None else ["This call takes no body."]
        try:
            TypeAdapter(shape).validate_python(body)
        except ValidationError as error:
            return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        return []

    def answer_faults(self, method: str, path: str, status: int, body: Any) -> list[str]:
        return []


class DocumentedContract:
    """Prolific's OpenAPI document, which names every property but forbids no others: we do."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._validators: dict[int, Any] = {}

    def request_faults(self, method: str, path: str, body: Any) -> list[str]:
        call = self._document["paths"].get(path, {}).get(method.lower())
        if call is None:
            return [f"There is no {method} {path}."]
        if "requestBody" not in call:
            return [] if body is None else ["This call takes no body."]
        return list(self._faults(_schema(call["requestBody"]), body, strict=True))

    def answer_faults(self, method: str, path: str, status: int, body: Any) -> list[str]:
        answers = self._document["paths"][path][method.lower()]["responses"]
        if str(status) not in answers:
            # Only 200s and 400 are documented; other refusals look like 400.
            answers = {str(status): answers["400"]} if status >= 400 else answers
        if str(status) not in answers:
            return [f"Status {status} is not documented."]
        if status == 204:
            return []
        return list(self._faults(_schema(answers[str(status)]), body, strict=False))

    def _faults(self, schema: dict[str, Any], body: Any, *, strict: bool) -> Iterator[str]:
        for error in self._validator(schema).iter_errors(body):
            yield f"{error.json_path}: {error.message}"
        if strict and isinstance(body, dict) and (names := self._names(schema)):
            yield from (f"{name}: is not documented" for name in body.keys() - names)

    def _validator(self, schema: dict[str, Any]) -> Any:
        """Kept for each part of the document, for it takes a while to find its way about."""
        from jsonschema import Draft202012Validator  # only where the document is: in tests

        if id(schema) not in self._validators:
            root = {**schema, "components": self._document["components"]}
            self._validators[id(schema)] = Draft202012Validator(root)
        return self._validators[id(schema)]

    def _names(self, schema: dict[str, Any]) -> set[str]:
        if reference := schema.get("$ref"):
            schema = self._document["components"]["schemas"][reference.rpartition("/")[2]]
        return set(schema.get("properties", ()))


def find_contract() -> Contract:
    """The strictest contract at hand."""
    path = document_path()
    return _documented(path) if path.is_file() else DeclaredContract()


def document_path() -> Path:
    return Path(os.environ.get("DA_SPECS", "")) / DOCUMENT


@lru_cache(maxsize=1)
def _documented(path: Path) -> DocumentedContract:
    import yaml  # only where the document is: in tests

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader=loader)  # noqa: S506 - safe, in C
    _mend(document["components"]["schemas"])
    return DocumentedContract(document)


def _mend(schemas: dict[str, Any]) -> None:
    """Put right where the document contradicts itself."""
    # The prose says "instead of" external_study_url, one gives access_details; the lists of
    # required properties forgot that.
    for name in ("CreateStudy", "Study"):
        schemas[name]["required"].remove("external_study_url")
    # Every filter is of all kinds, for none requires a property; every integer is a number too.
    # So "one of" them can only be meant as "any of".
    for name in (
        "FilterListResultsItems",
        "RangeFilterSelectedRangeLower",
        "RangeFilterSelectedRangeUpper",
    ):
        schemas[name]["anyOf"] = schemas[name].pop("oneOf")


def _schema(part: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = part["content"]["application/json"]["schema"]
    return schema
