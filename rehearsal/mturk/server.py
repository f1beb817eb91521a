"""The marketplace behind a port: requesters at `POST /`, workers everywhere else."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import urlsplit

from rehearsal.mturk.api import Api
from rehearsal.mturk.exchange import Call, Dropped, Reply, json_reply
from rehearsal.mturk.faults import Fault, Faults, Trouble
from rehearsal.mturk.pages import Pages
from rehearsal.mturk.service import MarketService
from rehearsal.mturk.signature import Keys

LONGEST_BODY = 1_000_000
POLL_SECONDS = 0.02  # how soon a server in a thread hears that it shall stop
HOST = "127.0.0.1"
# By another name than the platform's 127.0.0.1, so that browsers take it for another site.
PUBLIC_NAME = "localhost"
PREFIX = "/rehearsal/"


class Server(ThreadingHTTPServer):
    """One marketplace, many connections, each kept open for the next call."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, service: MarketService, keys: Keys, *, port: int = 0) -> None:
        super().__init__((HOST, port), Handler)
        self.service = service
        self.keys = keys
        self.faults = Faults()
        self.api = Api(service, keys, self.faults)
        self.controls = Controls(self.api)
        self.pages = Pages(service, self.faults)
        self.seconds = 0.0  # spent on replies, for whoever measures a caller against it

    @property
    def origin(self) -> str:
        return f"http://{PUBLIC_NAME}:{self.server_port}"

    def reply(self, call: Call) -> Reply:
        if call.path.startswith(PREFIX):
            return self.controls.reply(call)
        if call.method == "POST" and call.path == "/":
            return self.api.reply(call)
        return self.pages.reply(call)


class Handler(BaseHTTPRequestHandler):
    """Reads calls and writes replies."""

    server: Server
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # a reply leaves in one piece, not waiting for anybody's acknowledgement
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def _handle(self) -> None:
        length = self.headers.get("Content-Length") or "0"
        if not length.isdecimal() or int(length) > LONGEST_BODY:
            self._send(Reply(413))
            self.close_connection = True
            return
        body = self.rfile.read(int(length))
        started = time.perf_counter()
        parts = urlsplit(self.path)
        # By its type a message is no mapping; it is one in use, and knows no case.
        headers = cast(Mapping[str, str], self.headers)
        call = Call(self.command, parts.path, parts.query, headers, body)
        try:
            self._send(self.server.reply(call))
        except Dropped:
            self.close_connection = True
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
        self.server.seconds += time.perf_counter() - started

    def _send(self, reply: Reply) -> None:
        self.send_response_only(reply.status)
        # The marketplace's own time, by which its callers can tell what has expired.
        self.send_header("Date", format_datetime(self.server.service.now(), usegmt=True))
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, *args: object) -> None:
        """Say nothing of every call; the page of books tells how many there were."""


@contextlib.contextmanager
def running(service: MarketService, keys: Keys, *, port: int = 0) -> Iterator[Server]:
    """The server in a thread of its own, until the block is left."""
    server = Server(service, keys, port=port)
    threading.Thread(target=server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        service.close()


@dataclass
class Controls:
    """Not part of Mechanical Turk, and under a path of their own."""

    api: Api

    def reply(self, call: Call) -> Reply:
        name = call.path.removeprefix(PREFIX)
        if call.method == "GET" and name == "books":
            return json_reply(self.books())
        # Other sites' pages can post forms here, but not JSON.
        if call.method != "POST" or call.headers.get("Content-Type") != "application/json":
            return json_reply({"error": "GET books, or POST JSON to faults or clock."}, 404)
        try:
            return json_reply(self._switch(name, json.loads(call.body)))
        except (KeyError, TypeError, ValueError) as error:
            return json_reply({"error": f"{type(error).__name__}: {error}"}, 400)

    def books(self) -> dict[str, Any]:
        """Balance and calls so far, to hold one's own books against."""
        account = self.api.service.market.account
        return {
            "deposited": str(account.deposited),
            "paid": str(account.paid),
            "held": str(account.held),
            "available": str(account.available),
            "hits": len(self.api.service.market.hits),
            "calls": dict(self.api.service.calls),
        }

    def _switch(self, name: str, values: dict[str, Any]) -> dict[str, Any]:
        if name == "faults":
            if values.get("clear"):
                self.api.faults.clear()
            else:
                self.api.faults.add(Fault(**values | {"trouble": Trouble(values["trouble"])}))
        elif name == "clock":
            self.api.service.forward(float(values["forward_seconds"]))
        else:
            raise KeyError(name)
        return {"now": self.api.service.now().isoformat()}
