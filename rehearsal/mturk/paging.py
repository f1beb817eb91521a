"""Long lists, a page at a time."""

from __future__ import annotations

import base64
import binascii
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from rehearsal.mturk.refusals import Refusal

DEFAULT_SIZE = 10


def page(
    request: dict[str, Any],
    name: str,
    entries: Sequence[tuple[int, Any]],
    present: Callable[[Any], dict[str, Any]],
) -> dict[str, Any]:
    """The entries behind the number in the token: rising, so that one may go without a gap."""
    start = bisect_right(entries, _read(request.get("NextToken")), key=lambda entry: entry[0])
    end = start + request.get("MaxResults", DEFAULT_SIZE)
    shown = entries[start:end]
    answer = {"NumResults": len(shown), name: [present(entry) for _, entry in shown]}
    if end < len(entries):
        answer["NextToken"] = base64.urlsafe_b64encode(str(shown[-1][0]).encode()).decode()
    return answer


def _read(token: str | None) -> float:
    if token is None:
        return float("-inf")
    try:
        return int(base64.urlsafe_b64decode(token))
    except (binascii.Error, ValueError):
        raise Refusal("The NextToken is not valid.", "ParameterValidationError") from None
