"""People's work as their crowds report it, what was decided about it, and how good it was."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotations.models import Annotator, Assignment
from crowds.models.launches import Publication
from hits.models import Campaign


class Submission(models.Model):
    """Somebody's turn as their crowd reports it, and what was decided about it.

    Pay, use and invite again are decided apart. Each is empty until a person decides: then the
    campaign's rules hold. Forged, late and repeated ones have a row too, with their problem.
    """

    class Status(models.TextChoices):
        WORKING = "working", "Working"
        SUBMITTED = "submitted", "Submitted"
        APPROVED = "approved", "Approved"
        REJECTED = "rejected", "Rejected"
        RETURNED = "returned", "Returned"
        TIMED_OUT = "timed_out", "Out of time"
        SCREENED_OUT = "screened_out", "Screened out"

    class Problem(models.TextChoices):
        NONE = "", "None"
        UNKNOWN = "unknown", "Nobody came here with this submission"
        FORGED = "forged", "Not under the name that the crowd gives"
        MISPLACED = "misplaced", "Belongs to another HIT"
        UNFINISHED = "unfinished", "Not finished here"
        LATE = "late", "Handed in after it was given up here"
        REPEATED = "repeated", "Has a place in this HIT already"

    class Pay(models.TextChoices):
        OPEN = "", "Not decided"
        PAY = "pay", "Pay"
        REFUSE = "refuse", "Do not pay"

    crowd = models.CharField(max_length=20)
    external_id = models.CharField(max_length=200)
    publication = models.ForeignKey(
        Publication, on_delete=models.PROTECT, related_name="submissions"
    )
    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="submissions")
    assignment = models.OneToOneField(
        Assignment, on_delete=models.PROTECT, null=True, blank=True, related_name="submission"
    )
    status = models.CharField(max_length=12, choices=Status.choices)
    problem = models.CharField(max_length=10, choices=Problem.choices, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    pay = models.CharField(max_length=10, choices=Pay.choices, blank=True)
    reason = models.TextField(blank=True, help_text="Why it is not paid; the person reads it.")
    use = models.BooleanField(null=True, blank=True)
    invite_again = models.BooleanField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty where the campaign's rules decided.",
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["crowd", "external_id"], name="one_row_per_submission"),
            models.CheckConstraint(
                condition=~Q(pay="refuse") | (~Q(reason="") & Q(decided_by__isnull=False)),
                name="refused_by_a_person_with_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(pay="") | Q(decided_at__isnull=False), name="pay_decided_at_a_moment"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.crowd} submission of {self.annotator}"


class Verdict(models.Model):
    """What quality control said of a person in a campaign, last: a cache the analysis refreshes."""

    class Status(models.TextChoices):
        PASSED = "passed", "Passed"
        FAILED = "failed", "Failed"
        INSUFFICIENT = "insufficient", "Too few pairs"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="verdicts")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="verdicts")
    status = models.CharField(max_length=12, choices=Status.choices)
    p = models.FloatField(null=True, blank=True)
    pairs = models.PositiveIntegerField()
    checked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "annotator"], name="one_verdict_per_campaign_and_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator} {self.status} in {self.campaign}"
