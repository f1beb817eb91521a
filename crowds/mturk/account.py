"""Which marketplace is meant, and by whom it is called."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Final
from urllib.parse import urlsplit

from boto3.session import Session

from crowds.gateway import PermanentFault

ENDPOINTS: Final = {
    "production": "https://mturk-requester.us-east-1.amazonaws.com",
    "sandbox": "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
}
WORKER_SITES: Final = {
    ENDPOINTS["production"]: "https://worker.mturk.com",
    ENDPOINTS["sandbox"]: "https://workersandbox.mturk.com",
}
LOCAL_HOSTS: Final = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Account:
    """An endpoint and the keys to it."""

    endpoint: str
    region: str
    access_key: str
    secret_key: str = field(repr=False)

    @classmethod
    def read(
        cls, *, endpoint: str, region: str, access_key: str, secret_key: str, is_open: bool
    ) -> Account:
        """Refuse, in one sentence each, what cannot work, as far as it shows without a call."""
        address = ENDPOINTS.get(endpoint, endpoint).rstrip("/")
        if not address:
            raise PermanentFault(
                "Mechanical Turk is not set up: set MTURK_ENDPOINT_URL, for a rehearsal to what "
                "“python manage.py rehearse” prints."
            )
        _check_address(address, is_open=is_open)
        if region not in session().get_available_regions("mturk"):
            raise PermanentFault(f"MTURK_REGION: Mechanical Turk has no region “{region}”.")
        if not (access_key and secret_key):
            raise PermanentFault(
                "Mechanical Turk's keys are missing: set MTURK_ACCESS_KEY_ID and "
                "MTURK_SECRET_ACCESS_KEY."
            )
        return cls(address, region, access_key, secret_key)

    @property
    def is_local(self) -> bool:
        """A rehearsal on this machine, which needs no certificate."""
        return is_local(self.endpoint)

    @property
    def worker_site(self) -> str:
        return WORKER_SITES.get(self.endpoint, self.endpoint)


@cache
def session() -> Session:
    """The one session there is: it has read the service's description, which takes its time."""
    return Session()


def is_local(address: str) -> bool:
    return urlsplit(address).hostname in LOCAL_HOSTS


def _check_address(address: str, *, is_open: bool) -> None:
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        parts, host = None, ""
    if parts is None or parts.scheme not in ("http", "https") or not host:
        raise PermanentFault(
            f"MTURK_ENDPOINT_URL must be sandbox, production or an address, not “{address}”."
        )
    if parts.scheme == "http" and not is_local(address):
        raise PermanentFault("MTURK_ENDPOINT_URL must begin with https:// beyond this machine.")
    if not is_open and (host.endswith((".amazonaws.com", ".mturk.com"))):
        raise PermanentFault(
            "Amazon closed Mechanical Turk to the public on 30 September 2026; set "
            "MTURK_IS_OPEN_TO_ME=true if it still answers you."
        )
