"""The outbox: everything crowds are to be told, written with the change that wants it."""

from __future__ import annotations

import secrets
from decimal import Decimal

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotations.models import Annotator
from crowds.models.launches import Publication
from crowds.models.submissions import Submission
from hits.models import Campaign


def new_key() -> str:
    """The name of a message towards the crowd, the same for every attempt at it."""
    return secrets.token_hex(16)


class ReviewAction(models.Model):
    """What an organiser decided in one go; its messages can be taken back until they are sent."""

    class Kind(models.TextChoices):
        APPROVE = "approve", "Pay"
        REJECT = "reject", "Do not pay"
        BONUS = "bonus", "Pay a bonus"
        MESSAGE = "message", "Write a message"
        EXCLUDE = "exclude", "Do not invite again"
        READMIT = "readmit", "Invite again"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="review_actions")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    once = models.CharField(
        max_length=40, help_text="Chosen by the page: the same form sent twice is known by it."
    )
    people = models.PositiveIntegerField(default=0)
    submissions = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=12, decimal_places=2, default=Decimal("0"))
    text = models.TextField(blank=True, help_text="The reason or message people read.")
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "once"], name="one_review_action_per_form")
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, {self.people} people"


class OutboxMessage(models.Model):
    """What a crowd is to be told. `crowds.services.outbox` does so once, whatever fails."""

    class Kind(models.TextChoices):
        PUBLISH = "publish", "Publish"
        EXTEND = "extend", "Offer to more people"
        EXPIRE = "expire", "Stop new people"
        REOPEN = "reopen", "Open again"
        CLOSE = "close", "Close"
        APPROVE = "approve", "Pay"
        REJECT = "reject", "Do not pay"
        BONUS = "bonus", "Pay a bonus"
        MESSAGE = "message", "Write a message"
        ENLIST = "enlist", "Put on a list"
        DELIST = "delist", "Take off a list"

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        CLAIMED = "claimed", "In progress"
        UNCLEAR = "unclear", "Outcome unclear"
        ASKING = "asking", "Needs a decision"
        DONE = "done", "Done"
        FAILED = "failed", "Refused"
        UNDONE = "undone", "Taken back"

    # Of one publication these are carried out one after the other, in the order they were written.
    CHANGING = (Kind.PUBLISH, Kind.EXTEND, Kind.EXPIRE, Kind.REOPEN, Kind.CLOSE)
    ENDED = (State.DONE, State.FAILED, State.UNDONE)
    # What is decided about people; a publication is closed only after them.
    DECIDING = (Kind.APPROVE, Kind.REJECT)

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="messages")
    publication = models.ForeignKey(
        Publication, on_delete=models.PROTECT, null=True, blank=True, related_name="messages"
    )
    action = models.ForeignKey(
        ReviewAction, on_delete=models.PROTECT, null=True, blank=True, related_name="messages"
    )
    crowd = models.CharField(max_length=20)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="messages"
    )
    annotators = models.ManyToManyField(Annotator, blank=True, related_name="messages")
    occasion = models.CharField(
        max_length=120, blank=True, help_text="Which of several times the same is done."
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
                condition=~Q(state__in=["done", "failed", "asking", "undone"]),
                name="outbox_due",
            ),
            models.Index(fields=["publication", "state"], name="outbox_of_publication"),
        ]
        constraints = [
            # The same message cannot be written down twice, unless it was taken back.
            models.UniqueConstraint(
                fields=["kind", "submission", "occasion"],
                condition=~Q(state="undone") & Q(submission__isnull=False),
                name="one_message_per_submission",
            ),
            models.UniqueConstraint(
                fields=["kind", "publication", "occasion"],
                condition=~Q(state="undone") & Q(submission=None, publication__isnull=False),
                name="one_message_per_publication",
            ),
            models.UniqueConstraint(
                fields=["crowd", "kind", "occasion"],
                condition=~Q(state="undone") & Q(submission=None, publication=None),
                name="one_message_per_crowd",
            ),
            models.CheckConstraint(
                condition=Q(state="claimed", claimed_at__isnull=False)
                | (~Q(state="claimed") & Q(claimed_at=None)),
                name="message_claimed_at_a_moment",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["done", "failed", "undone"], ended_at__isnull=False)
                | (~Q(state__in=["done", "failed", "undone"]) & Q(ended_at=None)),
                name="message_ended_at_a_moment",
            ),
        ]

    def __str__(self) -> str:
        about = f"submission {self.submission_id}" if self.submission_id else self.publication
        return f"{self.get_kind_display()}: {about or self.crowd}"


class Sending(models.Model):
    """How far the outbox has come: one row, compared with the mark that is kept outside.

    `crowds.services.restoring` says what for.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    epoch = models.CharField(max_length=32, default=new_key)
    claims = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_row_of_sending")]

    def __str__(self) -> str:
        return f"{self.claims} claims in {self.epoch}"
