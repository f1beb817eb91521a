"""What a campaign may spend, and what happens to work nobody has decided about."""

from __future__ import annotations

from decimal import Decimal

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from hits.models import Campaign


class Policy(models.Model):
    """A campaign's budget, and the rules that hold until a person decides otherwise.

    Beside the campaign and not in it: these may change while the campaign is live.
    """

    class PayRule(models.TextChoices):
        FINISHED = "finished", "Everybody who finished"
        PASSED = "passed", "Those who passed; a person decides about the others"
        ASKED = "asked", "Only when a person says so"

    class UseRule(models.TextChoices):
        PASSED = "passed", "Those who passed quality control"
        EVERYONE = "everyone", "Everybody who finished"

    class InviteRule(models.TextChoices):
        PASSED = "passed", "Those who passed quality control"
        EVERYONE = "everyone", "Everybody who finished"
        NOBODY = "nobody", "Nobody"

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="policy")
    budget = models.DecimalField(
        max_digits=12,
        decimal_places=2,
        default=Decimal("0"),
        validators=[MinValueValidator(Decimal("0"))],
        help_text="The most that may be spent, fees included.",
    )
    approve_after_hours = models.PositiveSmallIntegerField(
        default=72, help_text="Work to be paid is approved by itself after so long."
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
