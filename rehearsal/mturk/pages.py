"""The workers' side: find a HIT, look at it, accept it, work in its frame, give it back, submit.

Who somebody is stands in a cookie of this origin. Inside the frame it is not sent, and not needed:
as at Mechanical Turk, the form that ends the work names its assignment.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.template.loader import render_to_string

from daplatform import places
from rehearsal.mturk.exchange import Call, Reply, json_reply, troubled
from rehearsal.mturk.faults import Faults
from rehearsal.mturk.refusals import Refusal
from rehearsal.mturk.service import MarketService
from rehearsal.mturk.worker_acts import WORKER_ID

SUBMIT_PATH = "/mturk/externalSubmit"
COOKIE = "worker"
POLICY = {
    "Content-Security-Policy": (
        "default-src 'self'; frame-src http: https:; img-src 'self' data:; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'self'"
    ),
    "Referrer-Policy": "same-origin",  # with "no-referrer", a form would not tell its origin
    "Cache-Control": "no-store",
}
STATIC = re.compile(r"/static/((?:css|vendor/inter)/[\w.-]+|favicon\.svg)")


@dataclass
class Pages:
    """What a worker's browser is shown; a program asks for the same as JSON."""

    service: MarketService
    faults: Faults

    def reply(self, call: Call) -> Reply:
        try:
            return self._route(call)
        except Refusal as refusal:
            return _page(call, "refusal", {"error": refusal.message}, 409)

    def _route(self, call: Call) -> Reply:
        if found := STATIC.fullmatch(call.path):
            return _static(found[1])
        if call.method == "POST" and call.path == SUBMIT_PATH:
            return self._submit(call)
        if call.method == "POST":
            _check_origin(call)
            if call.path == "/sign-in":
                return self._sign_in(call)
            if call.path == "/sign-out":
                return _redirect(call, "/", {}, **{"Set-Cookie": f"{COOKIE}=; Path=/; Max-Age=0"})
        if not WORKER_ID.fullmatch(call.cookie(COOKIE)):
            return _page(call, "sign_in", {}, 200 if call.path == "/" else 401)
        for method, pattern, view in ROUTES:
            found = re.fullmatch(pattern, call.path)
            if found and method == call.method:
                return view(self, call, *found.groups())
        return _page(call, "refusal", {"error": "There is no such page."}, 404)

    def _act(self, call: Call, name: str, **request: Any) -> dict[str, Any]:
        return self.service.act(name, {"worker": call.cookie(COOKIE), **request})

    def _sign_in(self, call: Call) -> Reply:
        form = call.form
        numbers = {name: form[name] for name in ("approved", "rejected") if name in form}
        if not all(text.isdecimal() for text in numbers.values()):
            raise Refusal("Numbers of assignments are written in digits.")
        names = {
            "worker": form.get("worker", "").strip().upper(),
            "country": form.get("country", "")[:2].upper(),
        }
        answer = self.service.act("sign-in", names | numbers)
        cookie = f"{COOKIE}={answer['worker']}; Path=/; HttpOnly; SameSite=Lax"
        return _redirect(call, "/", answer, **{"Set-Cookie": cookie})

    def listing(self, call: Call) -> Reply:
        return _page(call, "listing", self._act(call, "look"))

    def preview(self, call: Call, hit: str) -> Reply:
        return _page(call, "preview", self._act(call, "look-at-hit", hit=hit))

    def group(self, call: Call) -> Reply:
        group = call.parameters.get("groupId", "")
        found = self._act(call, "look-at-group", group=group)
        return _redirect(call, f"/hits/{found['hit']}", found)

    def accept(self, call: Call, hit: str) -> Reply:
        accepted = self._act(call, "accept", hit=hit)
        return _redirect(call, f"/assignments/{accepted['assignment']}", accepted)

    def work(self, call: Call, assignment: str) -> Reply:
        submit_to = f"http://{call.host}"
        shown = self._act(call, "look-at-assignment", assignment=assignment, submit_to=submit_to)
        return _page(call, "work", shown)

    def give_back(self, call: Call, assignment: str) -> Reply:
        return _redirect(call, "/", self._act(call, "give-back", assignment=assignment))

    def _submit(self, call: Call) -> Reply:
        fields = call.form
        assignment = fields.pop("assignmentId", "")
        request = {"assignment": assignment, "fields": fields}

        def perform() -> Reply:
            return _page(call, "submitted", self.service.act("submit", request))

        return troubled(self.faults.take("externalSubmit"), perform)


ID = "([A-Z0-9]{1,64})"
ROUTES: list[tuple[str, str, Callable[..., Reply]]] = [
    ("GET", "/", Pages.listing),
    ("GET", f"/hits/{ID}", Pages.preview),
    ("GET", "/mturk/preview", Pages.group),
    ("POST", f"/hits/{ID}/accept", Pages.accept),
    ("GET", f"/assignments/{ID}", Pages.work),
    ("POST", f"/assignments/{ID}/return", Pages.give_back),
]


def _page(call: Call, template: str, context: dict[str, Any], status: int = 200) -> Reply:
    if call.wants_json:
        return json_reply(context, status)
    context = {"worker": call.cookie(COOKIE), **context}
    html = render_to_string(f"rehearsal/{template}.html", context)
    return Reply(status, html.encode(), headers=POLICY)


def _redirect(call: Call, path: str, answer: dict[str, Any], **headers: str) -> Reply:
    if call.wants_json:
        return json_reply(answer, headers=headers)
    return Reply(303, headers={"Location": path, **headers})


def _static(name: str) -> Reply:
    """The platform's own look: its style sheets and fonts."""
    path: Path = places.SITE / "static" / name
    if not path.is_file():
        raise Refusal("There is no such file.")
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Reply(200, path.read_bytes(), kind, {"Cache-Control": "max-age=60"})


def _check_origin(call: Call) -> None:
    """Another site's page must not accept or return HITs in somebody's name."""
    origin = call.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != call.host:
        raise Refusal("This was sent from another site.")
