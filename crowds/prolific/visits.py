"""Asking Prolific about somebody who waits at the door."""

from __future__ import annotations

import datetime as dt
import math
import threading
import time
from contextlib import suppress
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import jwt
from django.conf import settings

from crowds.gateway import NotFound, SubmissionReport, SubmissionStatus, TransientFault
from crowds.prolific.account import PLACE, Account, account_read
from crowds.prolific.client import client_to
from crowds.prolific.submissions import Submissions
from crowds.registry import MALFORMED

ISSUER: Final = "https://www.prolific.com"
KEPT_SECONDS: Final = 24 * 60 * 60
ASKED_AGAIN_SECONDS: Final = 60
TIMEOUT: Final = httpx.Timeout(3.0)
UNREADABLE: Final = "Prolific's keys cannot be read."
CLAIMS: Final = ("iss", "exp", "iat", "aud", "sub", "prolific")
# Two clocks, ours and Prolific's.
LEEWAY: Final = dt.timedelta(seconds=10)


def submission_glance(submission: str, token: str = "") -> SubmissionReport:
    """Whose submission this is: signed by Prolific, or else one quick look.

    The look is not repeated, for a person waits for it. A token that has run out while somebody
    read the page proves nothing, and neither does one that cannot be checked.
    """
    account = account_read()
    if token:
        with suppress(TransientFault):
            return submission_signed(token, account)
    try:
        return Submissions(client_to(account, hurried=True)).get(submission)
    except MALFORMED as error:
        raise TransientFault("Prolific's answer makes no sense.") from error


class TokenRefused(NotFound):
    """Not Prolific's, or not for this site, workspace or person."""


class Keys:
    """The public keys at an address, by their ids; one thread at a time asks for them."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._known: dict[str, jwt.PyJWK] = {}
        self._read_at = self._tried_at = -math.inf

    def get(self, kid: str) -> jwt.PyJWK:
        """The key of this id. TransientFault where the keys cannot be read.

        Nobody whose key is known waits for the asking about another.
        """
        return self._held(kid) or self._asked(kid)

    def _held(self, kid: str) -> jwt.PyJWK | None:
        is_recent = time.monotonic() - self._read_at < KEPT_SECONDS
        return self._known.get(kid) if is_recent else None

    def _asked(self, kid: str) -> jwt.PyJWK:
        with self._lock:
            now = time.monotonic()
            if self._held(kid) is None and now - self._tried_at > ASKED_AGAIN_SECONDS:
                self._tried_at = now
                self._known, self._read_at = _keys_read(self._address), now
            found = self._held(kid)
        if found is not None:
            return found
        if self._read_at < self._tried_at:
            raise TransientFault(UNREADABLE)
        raise TokenRefused("Prolific has no such key.")


def _keys_read(address: str) -> dict[str, jwt.PyJWK]:
    try:
        answer = httpx.get(address, timeout=TIMEOUT, follow_redirects=False)
        keys = jwt.PyJWKSet.from_dict(answer.raise_for_status().json()).keys
    except (httpx.HTTPError, jwt.PyJWTError, *MALFORMED) as error:
        raise TransientFault(UNREADABLE) from error
    return {key.key_id: key for key in keys if key.key_id}


@cache
def keys_at(address: str) -> Keys:
    """This process's copy of the keys at an address."""
    return Keys(address)


def submission_signed(token: str, account: Account) -> SubmissionReport:
    """Whom Prolific has sent to which place.

    TokenRefused for what Prolific did not sign for this site; TransientFault for a token that has
    run out, or cannot be checked: it proves nothing then, and Prolific is to be asked.
    """
    try:
        header = jwt.get_unverified_header(token)
        key = keys_at(account.keys_address).get(str(header.get("kid", "")))
        claims = jwt.decode(
            token,
            key,
            algorithms=["RS256"],
            issuer=ISSUER,
            leeway=LEEWAY,
            options={"require": list(CLAIMS), "verify_aud": False},
        )
    except jwt.ExpiredSignatureError:
        raise TransientFault("Prolific's signature has expired.") from None
    except jwt.PyJWTError as error:
        raise TokenRefused("Prolific did not sign this.") from error
    return _submission(claims, account)


def _submission(claims: dict[str, Any], account: Account) -> SubmissionReport:
    """The audience is the HIT's whole address, whose host has to be ours."""
    names, signed = account.parameters, claims["prolific"]
    if not _is_ours(claims["aud"]) or not isinstance(signed, dict):
        raise TokenRefused("Prolific signed this for another site.")
    if signed.get("workspace_id") != account.workspace:
        raise TokenRefused("Prolific signed this for another workspace.")
    found = SubmissionReport(
        external_id=str(signed.get(names.submission, "")),
        publication=str(signed.get(names.study, "")),
        person=str(signed.get(names.person, "")),
        status=SubmissionStatus.WORKING,
        place=str(signed.get(PLACE, "")),
        started_at=dt.datetime.fromtimestamp(claims["iat"], dt.UTC),
    )
    if claims["sub"] != found.external_id:
        raise TokenRefused("Prolific signed this for another submission.")
    return found


def _is_ours(audience: object) -> bool:
    ours, theirs = urlsplit(settings.PUBLIC_URL), urlsplit(str(audience))
    return (theirs.scheme, theirs.netloc) == (ours.scheme, ours.netloc)
