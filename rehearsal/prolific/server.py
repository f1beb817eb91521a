"""The market's door: HTTP on the loopback interface."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from html import escape
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self
from urllib.parse import parse_qsl, quote, urlsplit

from rehearsal.prolific.answers import error_answer
from rehearsal.prolific.contract import Contract, find_contract
from rehearsal.prolific.faults import Fault, Faults
from rehearsal.prolific.hooks import Hooks
from rehearsal.prolific.market import Market, Refusal, Study, Submission
from rehearsal.prolific.routes import Answer, Request, match

BEFORE = (Fault.ERROR, Fault.THROTTLE, Fault.REFUSE, Fault.DROP_BEFORE)
KEYS: Final = "/.well-known/study/jwks.json"
TAKING: Final = "/take"
COMING_BACK: Final = "/submissions/complete"
COOKIE: Final = "submission"
STYLE: Final = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
header { border-bottom: 1px solid #8886; color: #888; }
article { border: 1px solid #8886; border-radius: .5rem; padding: 0 1.25rem 1rem; margin: 1rem 0; }
form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
input, button { font: inherit; padding: .4rem .7rem; border-radius: .3rem; border: 1px solid #888; }
label input { display: block; }
"""


class StandIn:
    """A market behind a server; a context manager that knows its own address."""

    def __init__(self, market: Market, *, port: int = 0, contract: Contract | None = None) -> None:
        self.market = market
        self.hooks = Hooks(market)
        self.faults = Faults()
        self.contract = contract or find_contract()
        self.calls: list[str] = []
        self.bodies: list[tuple[str, str, Any]] = []
        self.patience = threading.Event()
        handler = type("Door", (_Door,), {"stand_in": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.patience.set()
        self._server.shutdown()
        self._server.server_close()

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.02)

    def answer(self, method: str, target: str, token: str, body: Any) -> Answer:
        """What a call is answered with; anything refused comes as Prolific words it."""
        parts = urlsplit(target)
        found = match(method, parts.path)
        if found is None:
            return _not_found()
        template, handler, words = found
        self.bodies.append((method, template, body))
        request = Request(self.market, self.hooks, words, dict(parse_qsl(parts.query)), body)
        try:
            self._admit(token, method, template, body)
            answer = handler(request)
        except Refusal as refusal:
            answer = self._refuse(refusal, method, template)
        self._check(method, template, answer)
        return answer

    def page(self, target: str, cookies: str) -> Answer:
        """What a participant's browser gets."""
        parts = urlsplit(target)
        try:
            answer = page_answer(self.market, parts.path, dict(parse_qsl(parts.query)), cookies)
        except Refusal as refusal:
            return Answer(refusal.status, str(refusal), {"Content-Type": "text/plain"})
        return answer or _not_found()

    def _admit(self, token: str, method: str, template: str, body: Any) -> None:
        if token != f"Token {self.market.token}":
            raise Refusal("Authentication credentials were not valid.", status=401)
        if faults := self.contract.request_faults(method, template, body):
            raise Refusal(faults)

    def _refuse(self, refusal: Refusal, method: str, template: str) -> Answer:
        """With or without the outer object, whichever the document has for this call."""
        plain = error_answer(refusal, wrapped=False)
        if self.contract.answer_faults(method, template, refusal.status, plain):
            return Answer(refusal.status, error_answer(refusal, wrapped=True))
        return Answer(refusal.status, plain)

    def _check(self, method: str, template: str, answer: Answer) -> None:
        """A stand-in that drifts from the document would teach the gateway wrong."""
        faults = self.contract.answer_faults(method, template, answer.status, answer.body)
        if faults:
            raise AssertionError(f"{method} {template} answers wrongly: {faults}")


def _not_found() -> Answer:
    return Answer(404, error_answer(Refusal("Not found.", status=404), wrapped=True))


class _Door(BaseHTTPRequestHandler):
    stand_in: StandIn
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _handle(self) -> None:
        stand_in, call = self.stand_in, f"{self.command} {self.path}"
        if not self.path.startswith("/api/"):
            self._answer(stand_in.page(self.path, self.headers.get("Cookie", "")))
            return
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        stand_in.calls.append(call)
        fault = stand_in.faults.take(call)
        if fault in BEFORE:
            self._fail(fault)
            return
        token = self.headers.get("Authorization", "")
        answer = stand_in.answer(self.command, self.path, token, json.loads(raw) if raw else None)
        if fault is None:
            self._answer(answer)
        else:
            self._fail(fault)

    do_GET = do_POST = do_PATCH = do_DELETE = _handle

    def _fail(self, fault: Fault) -> None:
        if fault is Fault.SLOW:
            self.stand_in.patience.wait(30)
        if fault in (Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.SLOW):
            self.close_connection = True
        elif fault is Fault.THROTTLE:
            refusal = Refusal("Request was throttled.", status=429)
            self._answer(Answer(429, error_answer(refusal, wrapped=True), {"Retry-After": "1"}))
        elif fault is Fault.REFUSE:
            self._answer(Answer(400, error_answer(Refusal("Refused on demand."), wrapped=True)))
        elif fault is Fault.GARBLE:
            self._write(200, b"<html>", {})
        else:
            self._write(500, b"Internal error", {})

    def _answer(self, answer: Answer) -> None:
        """A page is text as it is; what the API says is JSON."""
        headers = {"Content-Type": "application/json", **(answer.headers or {})}
        is_text = headers["Content-Type"].startswith("text/")
        text = str(answer.body) if is_text else json.dumps(answer.body)
        self._write(answer.status, b"" if answer.body is None else text.encode(), headers)

    def _write(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """The requests are in `StandIn.calls`."""


def page_answer(market: Market, path: str, query: dict[str, str], cookies: str) -> Answer | None:
    """The page at a path; None where there is no page."""
    if path == "/":
        return _page(
            "Studies",
            "".join(_lines(market))
            or "<p>No study is out. Launch a batch on Prolific, and it appears here.</p>",
        )
    if path == TAKING:
        one = market.begin(query.get("study", ""), query.get("person", ""))
        location = signed_to(market, one)
        return Answer(303, headers={"Location": location, "Set-Cookie": f"{COOKIE}={one.id}"})
    if path == COMING_BACK:
        known = SimpleCookie(cookies).get(COOKIE)
        one = market.submission(known.value if known else "")
        market.complete(one.id, query.get("cc", ""))
        return _page("Thank you", f"<p>Your work is {escape(one.status.lower())}.</p>")
    if path == KEYS:
        return Answer(200, market.signer.published())
    return None


def sent_to(one: Submission) -> str:
    """The HIT's address as this person's browser opens it."""
    words = {"PROLIFIC_PID": one.participant, "STUDY_ID": one.study, "SESSION_ID": one.id}
    address = one.address
    for word, value in words.items():
        address = address.replace(f"{{{{%{word}%}}}}", quote(value))
    return address


def signed_to(market: Market, one: Submission) -> str:
    """The same, with the token that a study with secure addresses adds."""
    address = sent_to(one)
    if not market.study(one.study).fields.get("is_external_study_url_secure"):
        return address
    signed = {**dict(parse_qsl(urlsplit(address).query)), "workspace_id": market.workspace}
    token = market.signer.token(one.id, address, signed, now=market.clock())
    return f"{address}&prolific_token={token}"


def _lines(market: Market) -> Iterator[str]:
    for study in market.studies.values():
        if study.status == "ACTIVE":
            yield _form(market, study)


def _form(market: Market, study: Study) -> str:
    left = study.places - sum(
        market.allocated(study, detail["external_url"]) for detail in study.access_details
    )
    reward = f"{study.fields['reward'] / 100:.2f} {market.currency}"
    return (
        f"<article><h2>{escape(study.fields['name'])}</h2>"
        f"<p>{escape(study.fields['description'])}</p>"
        f"<p>{reward}, {left} of {study.places} places left.</p>"
        f'<form action="{TAKING}"><input type="hidden" name="study" value="{study.id}">'
        '<label>Take part as <input name="person" required pattern="[A-Za-z0-9]+"></label>'
        "<button>Take part</button></form></article>"
    )


def _page(title: str, content: str) -> Answer:
    return Answer(
        200,
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title} – rehearsal of Prolific</title><style>{STYLE}</style>"
        "<header>Rehearsal of Prolific: nobody is recruited, nothing is paid.</header>"
        f"<h1>{title}</h1>{content}</html>",
        {"Content-Type": "text/html; charset=utf-8"},
    )
