"""Mechanical Turk, or anything that speaks its protocol: the only place boto3 is used."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from annotations.errors import LinkRefused
from annotations.tokens import Entry
from crowds.gateway import Gateway
from crowds.visitors import Crowd

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
SUBMIT_PATH = "/mturk/externalSubmit"


class MechanicalTurk(Crowd):
    """Tells of nobody before they hand in; the last page posts a form to it."""

    label = "Mechanical Turk"
    ends_with_form = True

    def parameters(self) -> tuple[str, str]:
        return "workerId", "assignmentId"

    def is_preview(self, query: Mapping[str, str]) -> bool:
        return query.get("assignmentId", PREVIEW) == PREVIEW

    def return_address(self, entry: Entry, query: Mapping[str, str]) -> str:
        """Where the finished work is reported; never to an origin that is not on the list."""
        parts = urlsplit(query.get("turkSubmitTo", ""))
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in settings.MTURK_SUBMIT_ORIGINS:
            raise LinkRefused(_("This task was opened from a site that is not known here."))
        return origin + SUBMIT_PATH


CROWD = MechanicalTurk()


def connect(*, hurried: bool = False) -> Gateway:
    """The gateway the settings describe; one for as long as they do, for it opens connections."""
    from crowds.mturk.account import Account
    from crowds.mturk.gateway import gateway_to

    account = Account.read(
        endpoint=settings.MTURK_ENDPOINT_URL,
        region=settings.MTURK_REGION,
        access_key=settings.MTURK_ACCESS_KEY_ID,
        secret_key=settings.MTURK_SECRET_ACCESS_KEY,
        is_open=settings.MTURK_IS_OPEN_TO_ME,
    )
    return gateway_to(account, hurried=hurried)
