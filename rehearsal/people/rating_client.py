"""The rating page without a browser: the same requests over HTTP, for simulations and load."""

from __future__ import annotations

import html
import http.client
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

WORK = re.compile(r'<script id="work" type="application/json">(.*?)</script>', re.S)
REPORTED = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
TIMEOUT = 30


class Refused(RuntimeError):
    """The site answered, and said no."""


class RatingClient:
    """One annotator's connection, kept open from the link to the submission."""

    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self.connection = kind(parts.netloc, timeout=TIMEOUT)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.token = ""
        self.work: dict[str, Any] = {}
        self.items: dict[int, dict[str, Any]] = {}

    def enter(self, path: str, about: Mapping[str, str] | None = None) -> bool:
        """Press Start and open the page; False when there is nothing to rate.

        ``about`` answers the campaign's form.
        """
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        fields = {"consent": "yes"} | {f"form-{name}": said for name, said in (about or {}).items()}
        status, headers, _ = self._send("POST", path, urlencode(fields).encode(), form)
        if status == http.client.CONFLICT:
            return False
        if status != http.client.FOUND:
            raise Refused(f"{path} answered {status}")
        _, _, page = self._send("GET", headers["Location"])
        found = WORK.search(page.decode())
        if found is None:
            raise Refused(f"{headers['Location']} shows no work")
        self.work = json.loads(html.unescape(found[1]))
        self.token = self.work["token"]
        self.items = {item["position"]: item for item in self.work["items"]}
        return True

    def save(self, rating: dict[str, Any]) -> dict[str, Any]:
        """Post a rating, and keep the item that comes back."""
        answer = self.post("rating-create", rating)
        self.items |= {item["position"]: item for item in answer["items"]}
        return answer

    def submit(self) -> dict[str, str]:
        """Hand the work in; the fields that the page after it reports to a marketplace."""
        corrected = [each["position"] for each in self.work.get("sentBack", ())]
        done = self.post("assignment-finish", {"comment": "", "corrected": corrected})["next"]
        _, _, page = self._send("GET", done)
        return dict(REPORTED.findall(page.decode()))

    def post(self, endpoint: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Content-Type": "application/json", "X-Assignment": self.token}
        path = self.work["endpoints"][endpoint]
        status, _, content = self._send("POST", path, json.dumps(body).encode(), headers)
        if status >= http.client.INTERNAL_SERVER_ERROR:  # it passes, and is no refusal
            raise OSError(f"{endpoint} answered {status}")
        answer: dict[str, Any] = json.loads(content)
        if status != http.client.OK:
            raise Refused(f"{endpoint}: {answer['error']}")
        return answer

    def close(self) -> None:
        self.connection.close()

    def _send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        self.connection.request(method, path, body, {"Origin": self.origin, **(headers or {})})
        response = self.connection.getresponse()
        return response.status, response.headers, response.read()
