"""A batch offered to a crowd: with which settings, in which publications, known there by which ids.

The words are the platform's own. What a crowd calls things stands in `ExternalId` alone.
"""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from crowds.registry import LABELS
from hits.models import Batch, Campaign, Hit


class Launch(models.Model):
    """One batch, offered to one crowd, with the settings of that moment."""

    class State(models.TextChoices):
        LIVE = "live", "Live"
        PAUSED = "paused", "Paused"
        CLOSED = "closed", "Closed"

    batch = models.OneToOneField(Batch, on_delete=models.PROTECT, related_name="launch")
    crowd = models.CharField(max_length=20)
    state = models.CharField(max_length=10, choices=State.choices, default=State.LIVE)
    title = models.CharField(max_length=120)
    description = models.TextField(max_length=2000)
    keywords = models.CharField(max_length=200, blank=True, help_text="Separated by commas.")
    reward = models.DecimalField(
        max_digits=7, decimal_places=2, validators=[MinValueValidator(Decimal("0"))]
    )
    currency = models.CharField(max_length=3)
    people = models.PositiveSmallIntegerField(help_text="Usable ratings wanted of each HIT.")
    minutes_expected = models.PositiveSmallIntegerField()
    lifetime_days = models.PositiveSmallIntegerField(default=7)
    approval_rate = models.PositiveSmallIntegerField(null=True, blank=True)
    approved = models.PositiveIntegerField(null=True, blank=True)
    countries = models.CharField(max_length=200, blank=True, help_text="Two letters each.")
    only_again = models.BooleanField(
        default=False, help_text="Only people of earlier campaigns who are to be invited again."
    )
    tops_up = models.BooleanField(
        default=True, help_text="Offer HITs again whose ratings had to be left out."
    )
    launched_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    synced_at = models.DateTimeField(null=True, blank=True, editable=False)
    # What the last comparison with the crowd found; empty when it found nothing.
    differences = models.JSONField(default=list, blank=True, editable=False)
    reconciled_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "launches"
        constraints = [
            models.CheckConstraint(
                condition=Q(reward__gte=0, people__gte=1, lifetime_days__gte=1),
                name="launch_counts_positive",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["live", "paused", "closed"]), name="launch_state_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.batch}, {LABELS.get(self.crowd, self.crowd)}"


class Publication(models.Model):
    """One publication at a crowd: a whole batch, or a single HIT, as the crowd has it."""

    class Status(models.TextChoices):
        WAITING = "waiting", "Being published"
        OPEN = "open", "Open"
        EXPIRED = "expired", "Closed to new people"
        CLOSED = "closed", "Closed"

    launch = models.ForeignKey(Launch, on_delete=models.PROTECT, related_name="publications")
    reference = models.CharField(max_length=60, unique=True, help_text="Our name for it there.")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.WAITING)
    # What one person's work costs: paid out of what was committed for the publication.
    unit_reward = models.DecimalField(max_digits=9, decimal_places=2)
    fee = models.DecimalField(
        max_digits=12, decimal_places=2, help_text="For all people it was priced for."
    )
    priced_people = models.PositiveIntegerField()
    address = models.URLField(max_length=2000, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["launch", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(unit_reward__gte=0, fee__gte=0),
                name="publication_price_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "open", "expired", "closed"]),
                name="publication_status_known",
            ),
        ]

    def __str__(self) -> str:
        return self.reference


class PublishedHit(models.Model):
    """A HIT in a publication, and how many people it is offered to there."""

    publication = models.ForeignKey(
        Publication, on_delete=models.PROTECT, related_name="published_hits"
    )
    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="published")
    people = models.PositiveSmallIntegerField()
    url = models.URLField(max_length=2000)

    class Meta:
        ordering = ["publication", "hit"]
        constraints = [
            models.UniqueConstraint(
                fields=["publication", "hit"], name="one_row_per_published_hit"
            ),
            models.CheckConstraint(condition=Q(people__gte=1), name="published_for_somebody"),
        ]

    def __str__(self) -> str:
        return f"{self.hit} in {self.publication}"

    @property
    def reference(self) -> str:
        return f"hit-{self.hit_id}"


class ExternalId(models.Model):
    """What a crowd calls something of ours."""

    class Kind(models.TextChoices):
        PUBLICATION = "publication", "Publication"
        HIT = "hit", "HIT"

    crowd = models.CharField(max_length=20)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    external_id = models.CharField(max_length=200)
    publication = models.ForeignKey(
        Publication, on_delete=models.CASCADE, related_name="external_ids"
    )
    published_hit = models.OneToOneField(
        PublishedHit, on_delete=models.CASCADE, null=True, blank=True, related_name="external_id"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["crowd", "kind", "external_id"], name="one_row_per_external_id"
            ),
            models.UniqueConstraint(
                fields=["publication"],
                condition=Q(kind="publication"),
                name="one_external_id_per_publication",
            ),
            models.CheckConstraint(
                condition=Q(kind="publication", published_hit=None)
                | Q(kind="hit", published_hit__isnull=False),
                name="external_id_of_its_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.crowd} {self.kind} {self.external_id}"


class Policy(models.Model):
    """A campaign's budget, and the rules that hold until a person decides otherwise.

    Beside the campaign and not in it: these may change while the campaign is live.
    """

    class PayRule(models.TextChoices):
        FINISHED = "finished", "Everybody who finished"
        PASSED = "passed", "People who passed; you decide about the others"
        ASKED = "asked", "Nobody automatically; you decide"

    class UseRule(models.TextChoices):
        PASSED = "passed", "People who passed quality control"
        EVERYONE = "everyone", "Everybody who finished"

    class InviteRule(models.TextChoices):
        PASSED = "passed", "People who passed quality control"
        EVERYONE = "everyone", "Everybody who finished"
        NOBODY = "nobody", "Nobody"

    # As the form and the history name them.
    LABELS = MappingProxyType(
        {
            "budget": "Budget",
            "approve_after_hours": "Paid automatically after, hours",
            "pay_rule": "Pay",
            "use_rule": "Use the ratings of",
            "invite_rule": "Invite again",
        }
    )

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="policy")
    budget = models.DecimalField(
        max_digits=12,
        decimal_places=2,
        default=Decimal("0"),
        validators=[MinValueValidator(Decimal("0"))],
        help_text="The most that may be spent, fees included.",
    )
    approve_after_hours = models.PositiveSmallIntegerField(
        default=72, help_text="Work is then paid automatically, if the rule says so."
    )
    pay_rule = models.CharField(max_length=10, choices=PayRule.choices, default=PayRule.FINISHED)
    use_rule = models.CharField(max_length=10, choices=UseRule.choices, default=UseRule.PASSED)
    invite_rule = models.CharField(
        max_length=10, choices=InviteRule.choices, default=InviteRule.PASSED
    )

    class Meta:
        verbose_name_plural = "policies"
        constraints = [
            models.CheckConstraint(condition=Q(budget__gte=0), name="budget_not_negative"),
            models.CheckConstraint(
                condition=Q(
                    pay_rule__in=["finished", "passed", "asked"],
                    use_rule__in=["passed", "everyone"],
                    invite_rule__in=["passed", "everyone", "nobody"],
                ),
                name="policy_rules_known",
            ),
        ]

    def __str__(self) -> str:
        return f"Policy of {self.campaign}"
