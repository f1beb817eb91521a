"""Prolific: studies with one address and quota for each HIT (https://docs.prolific.com)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from decimal import Decimal
from typing import cast, get_args

from django.conf import settings

from hits.crowds.gateway import Gateway, PermanentFault
from hits.crowds.prolific.account import Account, Parameters, is_loopback
from hits.crowds.prolific.gateway import ProlificGateway
from hits.crowds.prolific.shapes import Device

__all__ = ["ProlificGateway", "account_read", "connect"]


def connect() -> Gateway:
    """The gateway the settings describe."""
    return ProlificGateway(account_read())


def account_read() -> Account:
    """The account the settings describe; refused in one sentence when it cannot be one."""
    for sentence in _faults():
        raise PermanentFault(sentence)
    return Account(
        token=settings.PROLIFIC_TOKEN,
        workspace=settings.PROLIFIC_WORKSPACE,
        project=settings.PROLIFIC_PROJECT,
        currency=settings.PROLIFIC_CURRENCY,
        fee_rate=Decimal(settings.PROLIFIC_FEE_PERCENT) / 100,
        api=settings.PROLIFIC_URL,
        devices=cast(tuple[Device, ...], tuple(settings.PROLIFIC_DEVICES)),
        parameters=Parameters(*settings.PROLIFIC_PARAMETERS),
    )


def _faults() -> Iterator[str]:
    if not settings.PROLIFIC_TOKEN:
        yield "No API token for Prolific is set (PROLIFIC_TOKEN)."
    if not settings.PROLIFIC_WORKSPACE:
        yield "No Prolific workspace is set (PROLIFIC_WORKSPACE)."
    if not (settings.PROLIFIC_URL.startswith("https://") or is_loopback(settings.PROLIFIC_URL)):
        yield "PROLIFIC_URL must be an https address, for the token travels to it."
    if not set(settings.PROLIFIC_DEVICES) <= set(get_args(Device)):
        yield f"PROLIFIC_DEVICES can name {', '.join(get_args(Device))}."
    if len(settings.PROLIFIC_PARAMETERS) != len(fields(Parameters)):
        yield "PROLIFIC_PARAMETERS has three words: for the person, the study, the submission."
