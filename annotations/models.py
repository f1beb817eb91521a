"""What people answered: annotators, the work they took, and every rating they gave."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from hits.models import Caption, Hit, HitItem


class Annotator(models.Model):
    """A person who rates, known to the rest of the platform by a pseudonym only."""

    pseudonym = models.CharField(max_length=20, unique=True)
    is_simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pseudonym"]

    def __str__(self) -> str:
        return self.pseudonym


class AnnotatorIdentity(models.Model):
    """Who an annotator is to a crowd. Apart from the ratings, so that it can be erased."""

    annotator = models.OneToOneField(Annotator, on_delete=models.CASCADE, related_name="identity")
    crowd = models.CharField(max_length=20)
    external_id = models.CharField(max_length=200)

    class Meta:
        verbose_name_plural = "annotator identities"
        constraints = [
            models.UniqueConstraint(
                fields=["crowd", "external_id"], name="one_annotator_per_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.crowd} identity of {self.annotator}"


class Assignment(models.Model):
    """One person's turn at one HIT. Given back, it stays with its ratings; a new one replaces it."""

    class State(models.TextChoices):
        OPEN = "open", "Open"
        ACTIVE = "active", "Being worked on"
        SUBMITTED = "submitted", "Submitted"
        APPROVED = "approved", "Approved"
        REJECTED = "rejected", "Rejected"
        RETURNED = "returned", "Returned"
        EXPIRED = "expired", "Expired"

    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="assignments")
    annotator = models.ForeignKey(
        Annotator, on_delete=models.PROTECT, null=True, blank=True, related_name="assignments"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    slot = models.PositiveSmallIntegerField(help_text="Which of the HIT's assignments this is.")
    claimed_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    comment = models.TextField(blank=True)

    class Meta:
        ordering = ["hit", "slot", "pk"]
        indexes = [
            models.Index(
                fields=["expires_at"], condition=Q(state="active"), name="assignment_running_out"
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "slot"],
                condition=~Q(state__in=["returned", "expired"]),
                name="one_assignment_per_slot",
            ),
            models.UniqueConstraint(
                fields=["hit", "annotator"], name="one_turn_per_person_and_hit"
            ),
            models.CheckConstraint(
                condition=Q(state="open", annotator=None, claimed_at=None)
                | (~Q(state="open") & Q(annotator__isnull=False, claimed_at__isnull=False)),
                name="assignment_taken_by_someone",
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=["submitted", "approved", "rejected"], submitted_at__isnull=False
                )
                | Q(state__in=["open", "active", "returned", "expired"], submitted_at=None),
                name="assignment_submission_dated",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hit}, assignment {self.slot}"


class Rating(models.Model):
    """One answer. Rows are only ever added: a change of mind is a new revision, the last counts.

    Annotator, caption, kind and original repeat what the item knows, so that reading a million
    ratings for analysis joins nothing.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="ratings")
    item = models.ForeignKey(HitItem, on_delete=models.PROTECT, related_name="ratings")
    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="ratings")
    caption = models.ForeignKey(Caption, on_delete=models.PROTECT, related_name="ratings")
    kind = models.CharField(max_length=10, choices=HitItem.Kind.choices)
    original = models.ForeignKey(HitItem, on_delete=models.PROTECT, null=True, related_name="+")
    revision = models.PositiveSmallIntegerField(default=1)
    key = models.UUIDField(
        unique=True, help_text="Chosen by the browser; a repeated post is known."
    )
    score = models.PositiveSmallIntegerField()
    fluency = models.PositiveSmallIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    # Evidence. Server clock first; what only the browser can know is named so.
    shown_at = models.DateTimeField(null=True, blank=True)
    client_first_touch_ms = models.PositiveIntegerField(null=True, blank=True)
    client_last_touch_ms = models.PositiveIntegerField(null=True, blank=True)
    client_moves = models.PositiveIntegerField(default=0)
    client_plays = models.PositiveIntegerField(default=0)
    client_watched_ms = models.PositiveIntegerField(default=0)
    client_hidden_ms = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "item", "revision"], name="one_rating_per_revision"
            ),
            models.CheckConstraint(condition=Q(score__lte=100), name="score_0_to_100"),
            models.CheckConstraint(
                condition=Q(fluency=None) | Q(fluency__lte=100), name="fluency_0_to_100"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["system", "reference"], original=None)
                | Q(kind__in=["degraded", "repeat"], original__isnull=False),
                name="rated_copies_have_an_original",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.score} for {self.item}"
