"""Speaking HTTP to Prolific: which failures are worth another try, and which may have done harm.

What it answers is insisted on: nonsense must never pass for “there is none”.
"""

from __future__ import annotations

import math
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

import httpx

from crowds.gateway import (
    CrowdError,
    NotFound,
    PermanentFault,
    TransientFault,
    UnclearOutcome,
)
from crowds.prolific.account import Account
from crowds.prolific.shapes import Shape

ATTEMPTS: Final = 4
LONGEST_PAUSE: Final = 20.0
PAGE_SIZE: Final = 500
TIMEOUT: Final = httpx.Timeout(20.0, connect=5.0)
HURRIED: Final = httpx.Timeout(3.0)
# The request never left, or was refused unread.
UNSENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
Row = dict[str, Any]


def rows(answer: Any, name: str = "results") -> list[Row]:
    """The rows of a list.

    >>> rows({"results": [{"id": "a"}]})
    [{'id': 'a'}]
    >>> rows({"results": {}})
    Traceback (most recent call last):
    ValueError: Prolific's answer has no list of results
    """
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise ValueError(f"Prolific's answer has no list of {name}")
    return found


def with_texts(row: Any, *names: str) -> Row:
    """The row, whose members of these names are texts.

    >>> with_texts({"id": ["a"]}, "id")
    Traceback (most recent call last):
    ValueError: Prolific's answer lacks id
    """
    known: Row = row if isinstance(row, dict) else {}
    lacking = [name for name in names if not isinstance(known.get(name), str)]
    if lacking:
        raise ValueError(f"Prolific's answer lacks {', '.join(lacking)}")
    return known


class Client:
    """One account's way to the API. Reading and settling are repeated on their own, acting never.

    `settle` is for calls that may be made twice without harm; `act` for those that may not, and
    which therefore can end in an UnclearOutcome.
    """

    def __init__(
        self,
        *,
        token: str,
        address: str,
        timeout: httpx.Timeout = TIMEOUT,
        attempts: int = ATTEMPTS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._attempts = attempts
        self._sleep = sleep
        # A redirect is never followed: it would carry the token to another host.
        self._http = httpx.Client(
            base_url=address,
            headers={"Authorization": f"Token {token}"},
            timeout=timeout,
            follow_redirects=False,
            verify=_certificates(),
        )

    def read(self, path: str, parameters: Mapping[str, str | int] | None = None) -> Any:
        return self._persist(lambda: self._call("GET", path, parameters=parameters))

    def settle(self, method: str, path: str, shape: Shape | None = None) -> Any:
        return self._persist(lambda: self._call(method, path, shape=shape))

    def act(self, method: str, path: str, shape: Shape | None = None) -> Any:
        return self._call(method, path, shape=shape)

    def act_with_headers(self, method: str, path: str, shape: Shape) -> tuple[Any, httpx.Headers]:
        response = self._send(method, path, shape=shape)
        return _content(response), response.headers

    def pages(self, path: str, parameters: Mapping[str, str | int]) -> Iterator[Row]:
        """Every result of a paged list, however long the server makes its pages.

        The document promises neither a count nor a link to the next page. Where there is a count
        it saves a call; else the end is a page that is empty or does not exist. A server that
        gives the same page again would go on doing so for ever.
        """
        seen, page, before = 0, 1, None
        while answer := self._page(path, {**parameters, "page_size": PAGE_SIZE, "page": page}):
            if (found := rows(answer)) == before:
                raise ValueError(f"Prolific's page {page} is the one before it")
            yield from found
            seen, page, before = seen + len(found), page + 1, found
            if seen >= answer.get("meta", {}).get("count", math.inf):
                return

    def _page(self, path: str, parameters: Mapping[str, str | int]) -> Row | None:
        try:
            answer: Row = self.read(path, parameters)
        except NotFound:
            return None
        return answer if rows(answer) else None

    def _persist(self, call: Callable[[], Any]) -> Any:
        pause = 0.5
        for _ in range(self._attempts - 1):
            try:
                return call()
            except (TransientFault, UnclearOutcome) as fault:
                asked = getattr(fault, "retry_after", None)
                if asked is not None and asked > LONGEST_PAUSE:
                    raise
                self._sleep(pause if asked is None else asked)
                pause *= 2
        try:
            return call()
        except UnclearOutcome as fault:
            raise TransientFault(str(fault)) from None

    def _call(
        self,
        method: str,
        path: str,
        *,
        shape: Shape | None = None,
        parameters: Mapping[str, str | int] | None = None,
    ) -> Any:
        return _content(self._send(method, path, shape=shape, parameters=parameters))

    def _send(
        self,
        method: str,
        path: str,
        *,
        shape: Shape | None = None,
        parameters: Mapping[str, str | int] | None = None,
    ) -> httpx.Response:
        body = None if shape is None else shape.as_json()
        try:
            response = self._http.request(method, path, json=body, params=parameters)
        except UNSENT:
            raise TransientFault("Prolific cannot be reached.") from None
        except httpx.HTTPError:
            raise UnclearOutcome("The connection to Prolific broke before it answered.") from None
        if response.is_success:
            return response
        raise _fault(response)


def client_to(account: Account, *, hurried: bool = False) -> Client:
    """The account's client; a hurried one asks once and waits for seconds."""
    timeout, attempts = (HURRIED, 1) if hurried else (TIMEOUT, ATTEMPTS)
    return Client(token=account.token, address=account.api, timeout=timeout, attempts=attempts)


@cache
def _certificates() -> ssl.SSLContext:
    """Read once in a process, for reading them takes longer than a call."""
    return httpx.create_ssl_context()


def _content(response: httpx.Response) -> Any:
    if not response.content:
        return None
    try:
        return response.json()
    except ValueError:
        raise UnclearOutcome("Prolific's answer could not be read.") from None


def _fault(response: httpx.Response) -> CrowdError:
    status = response.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS:
        return TransientFault(
            "Prolific is receiving too many requests from here.", retry_after=_retry_after(response)
        )
    if status >= httpx.codes.INTERNAL_SERVER_ERROR:
        return UnclearOutcome(f"Prolific failed with status {status}.")
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        return PermanentFault("Prolific does not accept the API token (PROLIFIC_TOKEN).")
    if status == httpx.codes.NOT_FOUND:
        return NotFound("Prolific does not know this id.")
    if response.is_redirect:
        return PermanentFault("PROLIFIC_URL answers with a redirect: it is not Prolific's API.")
    return PermanentFault(f"Prolific refused: {_detail(response)}")


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds to wait. The other form, a date, is not worth a second clock."""
    value = response.headers.get("Retry-After", "")
    return float(value) if value.isdecimal() else None


def _detail(response: httpx.Response) -> str:
    """Prolific's own words: a sentence, several, or one list of them per field."""
    try:
        answer = response.json()
        error = answer.get("error", answer)
        detail = error["detail"]
    except (ValueError, AttributeError, LookupError, TypeError):
        return f"status {response.status_code}."
    return "; ".join(_sentences(detail)) or f"status {response.status_code}."


def _sentences(detail: Any) -> Iterator[str]:
    if isinstance(detail, Mapping):
        for name, sentences in detail.items():
            yield from (f"{name}: {sentence}" for sentence in _sentences(sentences))
    elif isinstance(detail, list):
        for sentence in detail:
            yield from _sentences(sentence)
    else:
        yield str(detail)
