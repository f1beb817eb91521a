"""Asking Prolific about somebody who waits at the door."""

from __future__ import annotations

from typing import Final

import httpx

from hits.crowds.careful import NONSENSE
from hits.crowds.gateway import Submission, TransientFault
from hits.crowds.prolific import account_read
from hits.crowds.prolific.client import Client
from hits.crowds.prolific.submissions import Submissions

PATIENCE: Final = httpx.Timeout(3.0)


def submission_glance(submission: str) -> Submission:
    """Whose submission this is: one quick look, not repeated, for a person waits for it."""
    account = account_read()
    client = Client(token=account.token, address=account.api, timeout=PATIENCE, attempts=1)
    try:
        return Submissions(client).get(submission)
    except NONSENSE as error:
        raise TransientFault("Prolific's answer makes no sense.") from error
