"""A marketplace for tests, with a clock that stands still, and boto3 to call it with."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

import boto3
from botocore.config import Config

from crowds.mturk.wording import question_of
from rehearsal.mturk.server import Server
from rehearsal.mturk.signature import Keys

KEYS = Keys("AKIATEST", "secret")
NOON = dt.datetime(2026, 11, 16, 12, tzinfo=dt.UTC)
LONG_AGO = dt.datetime(2015, 1, 1, tzinfo=dt.UTC)
QUESTION = question_of("https://study.example/rate/enter/token/?a=1&b=2")
TYPE = {
    "Title": "Rate captions",
    "Description": "Watch and rate",
    "Reward": "0.50",
    "AssignmentDurationInSeconds": 600,
    "AutoApprovalDelayInSeconds": 3600,
}


@dataclass
class Watch:
    """A clock that somebody sets."""

    time: dt.datetime = NOON

    def __call__(self) -> dt.datetime:
        return self.time

    def forward(self, **units: float) -> None:
        self.time += dt.timedelta(**units)


def boto(server: Server, *, keys: Keys = KEYS, region: str = "us-east-1", attempts: int = 1):
    """An unmodified client."""
    return boto3.client(
        "mturk",
        endpoint_url=server.origin,
        region_name=region,
        aws_access_key_id=keys.access,
        aws_secret_access_key=keys.secret,
        config=Config(retries={"mode": "standard", "total_max_attempts": attempts}),
    )


def hit_request(**changes) -> dict:
    wanted = {"Question": QUESTION, "LifetimeInSeconds": 3600, "MaxAssignments": 2, **TYPE}
    return wanted | changes
