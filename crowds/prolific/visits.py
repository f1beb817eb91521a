"""Asking Prolific about somebody who waits at the door."""

from __future__ import annotations

from contextlib import suppress

from crowds.gateway import SubmissionReport, TransientFault
from crowds.prolific.account import account_read
from crowds.prolific.client import client_to
from crowds.prolific.submissions import Submissions
from crowds.prolific.tokens import submission_signed
from crowds.registry import MALFORMED


def submission_glance(submission: str, token: str = "") -> SubmissionReport:
    """Whose submission this is: signed by Prolific, or else one quick look.

    The look is not repeated, for a person waits for it. A token that has run out while somebody
    read the page proves nothing, and neither does one that cannot be checked.
    """
    account = account_read()
    if token:
        with suppress(TransientFault):
            return submission_signed(token, account)
    try:
        return Submissions(client_to(account, hurried=True)).get(submission)
    except MALFORMED as error:
        raise TransientFault("Prolific's answer makes no sense.") from error
