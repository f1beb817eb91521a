"""Who is calling: AWS's Signature Version 4, recomputed with botocore's own code."""

from __future__ import annotations

import datetime as dt
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from rehearsal.mturk.refusals import Refusal

SERVICE = "mturk-requester"
REGION = "us-east-1"
SKEW = dt.timedelta(minutes=5)
AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<date>\d{8})/(?P<region>[^/]*)/"
    r"(?P<service>[^/]*)/aws4_request, ?SignedHeaders=(?P<headers>[^,]+), ?Signature=(?P<sign>\w+)"
)
REQUIRED_HEADERS = {"host", "x-amz-date", "x-amz-target"}


@dataclass(frozen=True)
class Keys:
    """A requester's credentials."""

    access: str
    secret: str


def check_signature(
    headers: Mapping[str, str], body: bytes, *, host: str, keys: Keys, now: dt.datetime
) -> None:
    """Refuse a request that was not signed, just now, with these keys for this service."""
    claim = AUTHORIZATION.fullmatch(headers.get("Authorization", ""))
    if claim is None:
        raise Refusal("Missing Authentication Token", kind="MissingAuthenticationTokenException")
    if claim["key"] != keys.access:
        raise Refusal(
            "The security token included in the request is invalid.",
            kind="UnrecognizedClientException",
        )
    if (claim["region"], claim["service"]) != (REGION, SERVICE):
        _refuse(f"Credential should be scoped to {REGION} and {SERVICE}.")
    _check_moment(headers.get("X-Amz-Date", ""), claim["date"], now)
    signed = claim["headers"].split(";")
    if not set(signed) >= REQUIRED_HEADERS:
        _refuse(f"{', '.join(sorted(REQUIRED_HEADERS))} must be signed.")
    expected = _signature(headers, body, signed, host, keys)
    if not hmac.compare_digest(expected, claim["sign"]):
        _refuse("The request signature we calculated does not match the signature you provided.")


def _signature(
    headers: Mapping[str, str], body: bytes, signed: list[str], host: str, keys: Keys
) -> str:
    wanted = {name: headers.get(name, "") for name in signed}
    request = AWSRequest("POST", f"http://{host}/", headers=wanted, data=body)
    request.context["timestamp"] = headers["X-Amz-Date"]
    signer = SigV4Auth(Credentials(keys.access, keys.secret), SERVICE, REGION)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    signature: str = signer.signature(text, request)
    return signature


def _check_moment(stamp: str, date: str, now: dt.datetime) -> None:
    try:
        moment = dt.datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=dt.UTC)
    except ValueError:
        _refuse("X-Amz-Date is missing or malformed.")
    if date != stamp[:8] or abs(now - moment) > SKEW:
        _refuse(f"Signature expired or not yet current: {stamp}.")


def _refuse(message: str) -> None:
    raise Refusal(message, kind="InvalidSignatureException")
