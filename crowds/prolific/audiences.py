"""Lists of people, which Prolific calls participant groups, and writing to people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crowds.gateway import PermanentFault, TransientFault, UnclearOutcome
from crowds.prolific.answers import Row, rows, with_texts
from crowds.prolific.client import Client
from crowds.prolific.shapes import BulkMessage, NewGroup, People

GROUPS: Final = "/api/v1/participant-groups/"
PEOPLE_PER_CALL: Final = 500


class Audiences:
    """The groups of one workspace, by the names we gave them."""

    def __init__(self, client: Client, workspace: str) -> None:
        self._client = client
        self._workspace = workspace

    def ids(self) -> dict[str, str]:
        """The group of each name. Of two with one name the older counts, now and always."""
        asked = {"workspace_id": self._workspace, "active": "true"}
        groups = [with_texts(row, "id", "name") for row in rows(self._client.read(GROUPS, asked))]
        return {group["name"]: group["id"] for group in sorted(groups, key=_age, reverse=True)}

    def ids_to_exclude(self, names: Sequence[str]) -> list[str]:
        """Groups are looked at while a study runs, so one nobody is in yet is made now."""
        known = self.ids() if names else {}
        return [known.get(name) or self._make(name) for name in names]

    def ids_to_admit(self, names: Sequence[str]) -> list[str]:
        known = self.ids() if names else {}
        for name in names:
            if name not in known:
                raise PermanentFault(f"Nobody is on the list “{name}” yet: nobody could take part.")
        return [known[name] for name in names]

    def add(self, name: str, people: Sequence[str]) -> None:
        self._change("POST", self.ids().get(name) or self._make(name), people)

    def remove(self, name: str, people: Sequence[str]) -> None:
        if group := self.ids().get(name):
            self._change("DELETE", group, people)

    def write(self, study: str, people: Sequence[str], text: str) -> None:
        if people:
            message = BulkMessage(ids=list(people), body=text, study_id=study)
            self._client.act("POST", "/api/v1/messages/bulk/", message)

    def _make(self, name: str) -> str:
        group = NewGroup(workspace_id=self._workspace, name=name)
        try:
            made = self._client.act("POST", GROUPS, group)
        except UnclearOutcome as fault:
            # Whether it was made or not, the next attempt looks for it by its name first.
            raise TransientFault(str(fault)) from None
        return str(with_texts(made, "id")["id"])

    def _change(self, method: str, group: str, people: Sequence[str]) -> None:
        """Adding who is there and removing who is not are ignored: safe to repeat."""
        for start in range(0, len(people), PEOPLE_PER_CALL):
            chunk = People(participant_ids=list(people[start : start + PEOPLE_PER_CALL]))
            self._client.settle(method, f"{GROUPS}{group}/participants/", chunk)


def _age(group: Row) -> str:
    """Ids are MongoDB object ids, which begin with the time they were made."""
    return str(group["id"])
