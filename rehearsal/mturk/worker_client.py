"""A worker who is a program: the marketplace's pages, asked for as JSON."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlencode, urlsplit

TIMEOUT = 30
# A record no requirement keeps out.
RECORD = {"approved": "10000", "rejected": "0", "country": "US"}


class Turned(RuntimeError):
    """The marketplace answered, and said no."""


class WorkerClient:
    """One worker's connection to the marketplace."""

    def __init__(self, address: str, worker: str) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=TIMEOUT)
        self.worker = worker

    def sign_in(self, **record: str) -> None:
        self._ask("POST", "/sign-in", {"worker": self.worker, **RECORD, **record})

    def hits(self) -> list[dict[str, Any]]:
        """What there is to accept."""
        found: list[dict[str, Any]] = self._ask("GET", "/")["hits"]
        return found

    def preview(self, hit: str) -> str:
        """The address that a preview opens."""
        address: str = self._ask("GET", f"/hits/{hit}")["frame"]
        return address

    def accept(self, hit: str) -> str:
        """Take a HIT; the assignment's id."""
        assignment: str = self._ask("POST", f"/hits/{hit}/accept", {})["assignment"]
        return assignment

    def frame(self, assignment: str) -> str:
        """The address that the frame around the requester's page would open."""
        address: str = self._ask("GET", f"/assignments/{assignment}")["frame"]
        return address

    def give_back(self, assignment: str) -> None:
        self._ask("POST", f"/assignments/{assignment}/return", {})

    def submit(self, assignment: str, **fields: str) -> None:
        """Post the form that ends the work, as the page in the frame does."""
        self._ask("POST", "/mturk/externalSubmit", {"assignmentId": assignment, **fields})

    def close(self) -> None:
        self.connection.close()

    def _ask(self, method: str, path: str, form: dict[str, str] | None = None) -> dict[str, Any]:
        headers = {
            "Accept": "application/json",
            "Content-Type": "application/x-www-form-urlencoded",
            "Cookie": f"worker={self.worker}",
        }
        body = None if form is None else urlencode(form).encode()
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        if response.status != http.client.OK:
            raise Turned(answer.get("error", f"{path} answered {response.status}"))
        return answer
