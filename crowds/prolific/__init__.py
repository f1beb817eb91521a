"""Prolific: studies with one address and quota for each HIT (https://docs.prolific.com)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace

from django.conf import settings

from annotations.tokens import Entry
from crowds.gateway import Gateway, SubmissionReport
from crowds.prolific.webhooks import notice_read
from crowds.visitors import Crowd, Notice, Visitor


class Prolific(Crowd):
    """Can be asked at once whom it has sent, and tells by itself when something changed."""

    label = "Prolific"
    confirms_at_once = True

    def parameters(self) -> tuple[str, str]:
        """A crowd like Prolific may have words of its own."""
        person, _, submission = settings.PROLIFIC_PARAMETERS
        return person, submission

    def visitor(self, entry: Entry, query: Mapping[str, str]) -> Visitor:
        return replace(super().visitor(entry, query), proof=query.get("prolific_token", ""))

    def confirm(self, visitor: Visitor) -> SubmissionReport:
        from crowds.prolific.visits import submission_glance

        return submission_glance(visitor.external_id, visitor.proof)

    def notice_read(self, headers: Mapping[str, str], body: bytes, *, now: dt.datetime) -> Notice:
        secrets = settings.PROLIFIC_WEBHOOK_SECRETS
        said = notice_read(headers=headers, body=body, secrets=secrets, now=now)
        return Notice(said.ids, said.study)


CROWD = Prolific()


def connect(*, hurried: bool = False) -> Gateway:
    """The gateway the settings describe."""
    from crowds.prolific.account import account_read
    from crowds.prolific.client import client_to
    from crowds.prolific.gateway import ProlificGateway

    account = account_read()
    return ProlificGateway(account, client_to(account, hurried=hurried))
