"""The outbox: everything crowds are to be told, written with the change that wants it."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from hits.models.campaigns import Campaign
from hits.models.launches import Posting


def new_key() -> str:
    """The name of an act towards the crowd, the same for every attempt at it."""
    return secrets.token_hex(16)


class Act(models.Model):
    """One outward act. `hits.services.outbox` carries it out, once, whatever dies in between."""

    class Kind(models.TextChoices):
        PUBLISH = "publish", "Publish"
        EXTEND = "extend", "Offer to more people"
        EXPIRE = "expire", "Take nobody new"
        REOPEN = "reopen", "Open again"
        CLOSE = "close", "Close"
        APPROVE = "approve", "Approve"
        REJECT = "reject", "Reject"
        BONUS = "bonus", "Pay a bonus"
        MESSAGE = "message", "Write a message"
        ENLIST = "enlist", "Put on a list"
        DELIST = "delist", "Take off a list"

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        CLAIMED = "claimed", "Under way"
        UNCLEAR = "unclear", "Outcome unclear"
        ASKING = "asking", "Waits for a person"
        DONE = "done", "Done"
        FAILED = "failed", "Refused"

    # Of one posting these are carried out one after the other, in the order they were written.
    STANDING = (Kind.PUBLISH, Kind.EXTEND, Kind.EXPIRE, Kind.REOPEN, Kind.CLOSE)
    ENDED = (State.DONE, State.FAILED)

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="acts")
    posting = models.ForeignKey(
        Posting, on_delete=models.PROTECT, null=True, blank=True, related_name="acts"
    )
    crowd = models.CharField(max_length=20)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    subject = models.CharField(
        max_length=120, help_text="To whom or what it is done, and which time."
    )
    payload = models.JSONField(default=dict)
    key = models.CharField(max_length=64, unique=True, default=new_key, editable=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(default=timezone.now)
    claimed_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(
                fields=["next_try_at"],
                condition=~Q(state__in=["done", "failed", "asking"]),
                name="act_due",
            ),
            models.Index(fields=["posting", "state"], name="act_of_posting"),
        ]
        constraints = [
            # The same wish cannot be written down twice.
            models.UniqueConstraint(fields=["crowd", "kind", "subject"], name="one_act_per_wish"),
            models.CheckConstraint(
                condition=Q(state="claimed", claimed_at__isnull=False)
                | (~Q(state="claimed") & Q(claimed_at=None)),
                name="act_claimed_at_a_moment",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["done", "failed"], ended_at__isnull=False)
                | (~Q(state__in=["done", "failed"]) & Q(ended_at=None)),
                name="act_ended_at_a_moment",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.subject}"
