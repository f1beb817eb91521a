"""One call to Mechanical Turk, repeated where that is harmless; its errors become ours.

botocore repeats what it takes for passing by itself (no connection, lost answers, 5xx). It does
not know that a ServiceFault, and a RequestError with a throttling code, pass too: both come as
status 400. Nor does it say whether anything was sent before it gave up, which decides between
"nothing was done" and "nobody knows", so that is noted here, attempt by attempt.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ParamValidationError,
    ProxyConnectionError,
    SSLError,
)

from crowds.gateway import CrowdError, NotFound, PermanentFault, TransientFault, UnclearOutcome
from crowds.mturk.account import Account, session

MAKING_CLIENTS: Final = threading.Lock()  # clients may be shared by threads, sessions may not
CONNECT_SECONDS: Final = 5
READ_SECONDS: Final = 20  # botocore's own minute would make a hang cost four
HURRIED_SECONDS: Final = 3  # while somebody waits for a page
ATTEMPTS: Final = 4
FIRST_PAUSE: Final = 0.2
PAGE: Final = 100
CREDENTIALS: Final = (
    "AccessDeniedException",
    "ExpiredTokenException",
    "IncompleteSignature",
    "InvalidSignatureException",
    "MissingAuthenticationTokenException",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
)
NEVER_SENT: Final = (
    ConnectTimeoutError,
    EndpointConnectionError,
    ProxyConnectionError,
    SSLError,
)


class Refused(PermanentFault):
    """Mechanical Turk understood, and refused; `code` is its own name for the reason."""

    def __init__(self, sentence: str, code: str) -> None:
        super().__init__(sentence)
        self.code = code

    @property
    def is_repetition(self) -> bool:
        """A token was used before: an earlier attempt arrived, only its answer was lost."""
        return self.code.endswith(("AlreadyExists", "DuplicateRequest"))


class Missing(NotFound, Refused):
    """It refused because there is no such thing."""


class Caller:
    """A client, its repetitions, and the translation of its errors."""

    def __init__(
        self,
        account: Account,
        *,
        hurried: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.account = account
        self._sleep = sleep
        self._attempts = 1 if hurried else ATTEMPTS
        self._read_seconds = HURRIED_SECONDS if hurried else READ_SECONDS
        self._repeating = self._client(account, self._attempts)
        self._single = self._client(account, 1)
        self._thread = threading.local()

    def __call__(self, operation: str, /, **request: Any) -> dict[str, Any]:
        """Call what may be called again: it reads, or doing it twice is the same as once."""
        return self._call(self._repeating, operation, request, TransientFault)

    def with_token(self, operation: str, /, **request: Any) -> dict[str, Any]:
        """Call what a token keeps from being done twice for a day, and no longer."""
        return self._call(self._repeating, operation, request, UnclearOutcome)

    def once(self, operation: str, /, **request: Any) -> dict[str, Any]:
        """Call what would be done twice if it were called twice."""
        return self._call(self._single, operation, request, UnclearOutcome)

    def pages(self, operation: str, member: str, /, **request: Any) -> Iterator[Any]:
        """Everything a listing has, each page read when it is needed."""
        for answer in self.answers(operation, **request):
            yield from answer[member]

    def answers(self, operation: str, /, **request: Any) -> Iterator[dict[str, Any]]:
        """The pages of a listing."""
        more: dict[str, str] = {}
        while True:
            answer = self(operation, MaxResults=PAGE, **request, **more)
            yield answer
            token = answer.get("NextToken")
            if not token:
                return
            if token == more.get("NextToken"):
                raise ValueError("the page after this one is this one")
            more = {"NextToken": token}

    def _call(
        self,
        client: Any,
        operation: str,
        request: dict[str, Any],
        doubt: type[TransientFault] | type[UnclearOutcome],
    ) -> dict[str, Any]:
        self._thread.sent = False
        for attempt in range(1, self._attempts + 1):
            try:
                answer: dict[str, Any] = getattr(client, operation)(**request)
                return answer
            except ClientError as error:
                if _is_foreign(error):
                    raise doubt(f"{self.account.endpoint} gave an unexpected answer.") from error
                if not _passes(error) or attempt == self._attempts:
                    raise self._doubted(_translated(error), doubt) from error
            except BotoCoreError as error:
                raise self._lost(error, doubt) from error
            # Doubling, and not in step with other workers.
            self._sleep(FIRST_PAUSE * 2**attempt * random.uniform(0.5, 1))  # noqa: S311
        raise AssertionError("the last attempt either returns or raises")

    def _doubted(
        self, fault: CrowdError, doubt: type[TransientFault] | type[UnclearOutcome]
    ) -> CrowdError:
        """A refusal says nothing about an earlier attempt whose answer was lost, save that it was
        a repetition."""
        certain = isinstance(fault, Refused) and fault.is_repetition
        if doubt is UnclearOutcome and self._thread.sent and not certain:
            return UnclearOutcome(str(fault))
        return fault

    def _lost(
        self, error: BotoCoreError, doubt: type[TransientFault] | type[UnclearOutcome]
    ) -> CrowdError:
        where = self.account.endpoint
        if isinstance(error, NEVER_SENT) and not self._thread.sent:
            return TransientFault(f"There is no answer from {where}: is it running?")
        if isinstance(error, ParamValidationError):
            return PermanentFault(f"Mechanical Turk does not accept this request: {error}")
        return doubt(f"The answer from {where} was lost on the way.")

    def _client(self, account: Account, attempts: int) -> Any:
        config = Config(
            connect_timeout=min(CONNECT_SECONDS, self._read_seconds),
            read_timeout=self._read_seconds,
            retries={"mode": "standard", "total_max_attempts": attempts},
            max_pool_connections=20,
        )
        with MAKING_CLIENTS:
            client = session().client(
                "mturk",
                endpoint_url=account.endpoint,
                region_name=account.region,
                aws_access_key_id=account.access_key,
                aws_secret_access_key=account.secret_key,
                config=config,
            )
        client.meta.events.register("needs-retry.mturk", self._note)
        return client

    def _note(
        self, response: Any = None, caught_exception: Exception | None = None, **_: Any
    ) -> None:
        """After each attempt of botocore's: may it have been carried out?"""
        answered_badly = response is not None and response[0].status_code >= 500
        lost = caught_exception is not None and not isinstance(caught_exception, NEVER_SENT)
        self._thread.sent = self._thread.sent or answered_badly or lost


def _translated(error: ClientError) -> CrowdError:
    code, turk, sentence = _parts(error)
    if error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500:
        return TransientFault(f"Mechanical Turk had an error of its own: {sentence}")
    if _passes(error) or "Throttl" in code:
        return TransientFault(f"Mechanical Turk is busy: {sentence}")
    if code in CREDENTIALS:
        return PermanentFault(
            "Mechanical Turk refused the credentials: check MTURK_ACCESS_KEY_ID, "
            f"MTURK_SECRET_ACCESS_KEY and MTURK_REGION ({sentence})"
        )
    kind = Missing if turk.endswith("DoesNotExist") else Refused
    return kind(f"Mechanical Turk refused: {sentence}", turk or code)


def _parts(error: ClientError) -> tuple[str, str, str]:
    """Code, Mechanical Turk's own code, sentence; botocore leaves the second one outside."""
    response: Any = error.response
    details = response["Error"]
    return (
        details.get("Code", ""),
        response.get("TurkErrorCode", ""),
        details.get("Message", "") or response.get("Message", ""),
    )


def _is_foreign(error: ClientError) -> bool:
    """A refusal without a reason in Mechanical Turk's own words, as of a proxy on the way: it says
    nothing of what was asked."""
    code, turk, _ = _parts(error)
    return (
        error.response["ResponseMetadata"]["HTTPStatusCode"] < 500 and code.isdecimal() and not turk
    )


def _passes(error: ClientError) -> bool:
    """What botocore gives up on although nothing was done and the next call may succeed."""
    code, turk, _ = _parts(error)
    return code == "ServiceFault" or "throttl" in turk.lower()
