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


class Invitation(models.Model):
    """Somebody's standing permission to rate a campaign: what a personal link stands for."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="invitations")
    created_at = models.DateTimeField(auto_now_add=True)
    joined = models.BooleanField(default=False, help_text="Came by the campaign's group link.")

    class Meta:
        ordering = ["campaign", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "annotator"], name="one_invitation_per_campaign_and_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator} invited to {self.campaign}"

    @property
    def name(self) -> str:
        """What the organiser calls this person, unless their identity was erased."""
        identity = getattr(self.annotator, "identity", None)
        return identity.external_id.partition(":")[2] if identity else self.annotator.pseudonym


class GroupLink(models.Model):
    """The one link by which anybody may join a campaign, up to so many people.

    A campaign without a row has none. Only the link of the latest version lets people in, and only
    while the row is open.
    """

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="group_link")
    people = models.PositiveSmallIntegerField(help_text="How many people may join.")
    version = models.PositiveIntegerField(default=1)
    is_open = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(people__gte=1, people__lte=1000), name="group_link_for_1_to_1000_people"
            )
        ]

    def __str__(self) -> str:
        return f"Group link of {self.campaign}"


class Exclusion(models.Model):
    """Somebody gets no more HITs of an organiser, whichever crowd they come from."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="exclusions"
    )
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="exclusions")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "annotator"], name="one_exclusion_per_owner_and_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator} excluded by {self.owner}"


class Arrival(models.Model):
    """How somebody came to an assignment and where they go back to. Apart from the ratings."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="arrival")
    crowd = models.CharField(max_length=20)
    external_id = models.CharField(
        max_length=200, blank=True, help_text="What the crowd calls this assignment."
    )
    return_to = models.URLField(max_length=2000, blank=True)
    origin = models.CharField(
        max_length=16,
        blank=True,
        help_text="A keyed digest of the visitor's network, for an hour: it limits claims.",
    )

    class Meta:
        indexes = [
            models.Index(fields=["origin"], condition=~Q(origin=""), name="arrival_by_origin")
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["crowd", "external_id"],
                condition=~Q(external_id=""),
                name="one_assignment_per_arrival",
            )
        ]

    def __str__(self) -> str:
        return f"Arrival from {self.crowd} at {self.assignment}"
