"""Whether a worker may see, preview or accept a HIT."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from rehearsal.mturk.records import QualificationType, Worker

NUMBER_APPROVED = "00000000000000000040"
LOCALE = "00000000000000000071"
PERCENT_APPROVED = "000000000000000000L0"
SYSTEM = (NUMBER_APPROVED, LOCALE, PERCENT_APPROVED)
# Which requirements stand in the way of an action, the strictest guarding all three.
GUARDS = {
    "accept": ("Accept", "PreviewAndAccept", "DiscoverPreviewAndAccept"),
    "preview": ("PreviewAndAccept", "DiscoverPreviewAndAccept"),
    "discover": ("DiscoverPreviewAndAccept",),
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "LessThan": operator.lt,
    "LessThanOrEqualTo": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqualTo": operator.ge,
    "EqualTo": operator.eq,
    "NotEqualTo": operator.ne,
}
Value = int | tuple[str, str] | None
UNMARKED = -1  # a qualification granted without a value: it exists, and compares with nothing


def obstacle(
    worker: Worker,
    requirements: list[dict[str, Any]],
    types: Mapping[str, QualificationType],
    action: str,
) -> dict[str, Any] | None:
    """The first requirement that keeps the worker from an action."""
    for requirement in requirements:
        guarded = requirement.get("ActionsGuarded") or (
            "PreviewAndAccept" if requirement.get("RequiredToPreview") else "Accept"
        )
        if guarded in GUARDS[action] and not meets(worker, requirement, types):
            return requirement
    return None


def meets(
    worker: Worker, requirement: Mapping[str, Any], types: Mapping[str, QualificationType]
) -> bool:
    value = _value(worker, requirement["QualificationTypeId"], types)
    comparator: str = requirement["Comparator"]
    if comparator in ("Exists", "DoesNotExist"):
        return (value is not None) == (comparator == "Exists")
    if value is None or value == UNMARKED:
        return False
    wanted = _wanted(requirement)
    if comparator in ("In", "NotIn"):
        return any(_equal(value, one) for one in wanted) == (comparator == "In")
    if isinstance(value, tuple):
        return _equal(value, wanted[0]) == (comparator == "EqualTo")
    return COMPARISONS[comparator](value, wanted[0])


def _value(worker: Worker, type_id: str, types: Mapping[str, QualificationType]) -> Value:
    if type_id == LOCALE:
        return worker.country, worker.subdivision
    if type_id == NUMBER_APPROVED:
        return worker.approved
    if type_id == PERCENT_APPROVED:
        return worker.approval_rate()
    grant = types[type_id].grants.get(worker.id) if type_id in types else None
    if grant is None or grant.revoked:
        return None
    return UNMARKED if grant.value is None else grant.value


def _wanted(requirement: Mapping[str, Any]) -> list[Value]:
    if locales := requirement.get("LocaleValues"):
        return [(locale["Country"], locale.get("Subdivision", "")) for locale in locales]
    return list(requirement["IntegerValues"])


def _equal(value: Value, wanted: Value) -> bool:
    """A country asked for without a subdivision means all of it."""
    if isinstance(value, tuple) and isinstance(wanted, tuple) and not wanted[1]:
        return value[0] == wanted[0]
    return value == wanted
