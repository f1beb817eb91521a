"""A call that came in, and the reply to it, without the network around them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

from rehearsal.mturk.faults import Fault, Trouble, refuse_by_fault


class Dropped(Exception):
    """The connection ends here, without a reply."""


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def parameters(self) -> dict[str, str]:
        return dict(parse_qsl(self.query, keep_blank_values=True))

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True))

    @property
    def host(self) -> str:
        return self.headers.get("Host", "")

    @property
    def wants_json(self) -> bool:
        return self.headers.get("Accept") == "application/json"

    def cookie(self, name: str) -> str:
        try:
            morsel = SimpleCookie(self.headers.get("Cookie", "")).get(name)
        except CookieError:
            return ""
        return morsel.value if morsel else ""


@dataclass(frozen=True)
class Reply:
    status: int
    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)


def json_reply(
    answer: Any,
    status: int = 200,
    content_type: str = "application/json",
    headers: dict[str, str] | None = None,
) -> Reply:
    return Reply(status, json.dumps(answer).encode(), content_type, headers or {})


def troubled(fault: Fault | None, perform: Callable[[], Reply]) -> Reply:
    """Perform a call with the trouble that befalls it."""
    refuse_by_fault(fault)
    if fault is None:
        return perform()
    if fault.trouble is Trouble.DROP_BEFORE:
        raise Dropped
    reply = perform()
    if fault.trouble is Trouble.DROP_AFTER:
        raise Dropped
    if fault.trouble is Trouble.TWICE:
        reply = perform()
    if fault.trouble is Trouble.SLOW:
        time.sleep(fault.seconds)
    return reply
