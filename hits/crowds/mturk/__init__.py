"""Mechanical Turk, or anything that speaks its protocol: the only place boto3 is used."""

from __future__ import annotations

from django.conf import settings

from hits.crowds.gateway import Gateway
from hits.crowds.mturk.account import Account
from hits.crowds.mturk.gateway import gateway_to


def connect() -> Gateway:
    """The gateway the settings describe; one for as long as they do, for it opens connections."""
    account = Account.read(
        endpoint=settings.MTURK_ENDPOINT_URL,
        region=settings.MTURK_REGION,
        access_key=settings.MTURK_ACCESS_KEY_ID,
        secret_key=settings.MTURK_SECRET_ACCESS_KEY,
        is_open=settings.MTURK_IS_OPEN_TO_ME,
    )
    return gateway_to(account)
