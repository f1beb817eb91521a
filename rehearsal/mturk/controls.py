"""The rehearsal's own switches: faults, the clock, and what stands in the books."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from rehearsal.mturk.api import Api
from rehearsal.mturk.exchange import Call, Reply, json_reply
from rehearsal.mturk.faults import Fault, Trouble

PREFIX = "/rehearsal/"


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
        account = self.api.desk.market.account
        return {
            "deposited": str(account.deposited),
            "paid": str(account.paid),
            "held": str(account.held),
            "available": str(account.available),
            "hits": len(self.api.desk.market.hits),
            "calls": dict(self.api.desk.calls),
        }

    def _switch(self, name: str, values: dict[str, Any]) -> dict[str, Any]:
        if name == "faults":
            if values.get("clear"):
                self.api.faults.clear()
            else:
                self.api.faults.add(Fault(**values | {"trouble": Trouble(values["trouble"])}))
        elif name == "clock":
            self.api.desk.forward(float(values["forward_seconds"]))
        else:
            raise KeyError(name)
        return {"now": self.api.desk.now().isoformat()}
