"""What was spent and who decided what: rows that are only ever added."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from crowds.models.launches import Publication
from crowds.models.submissions import Submission
from hits.models import Campaign


class LedgerEntry(models.Model):
    """A movement of money. Committed less released, plus what was paid, never passes the budget.

    Whatever is paid was committed first: paying writes `paid` and `fee`, and releases as much.
    """

    class Kind(models.TextChoices):
        COMMITTED = "committed", "Committed"
        RELEASED = "released", "Released"
        PAID = "paid", "Rewards paid"
        FEE = "fee", "Fees paid"
        BONUS = "bonus", "Bonuses paid"

    class Reason(models.TextChoices):
        OFFER = "offer", "Offered"
        MORE = "more", "Offered to more people"
        EXTRA = "extra", "More people than were asked for"
        REST = "rest", "No longer needed"
        WORK = "work", "Work"
        UNASKED = "unasked", "Paid automatically by the crowd"
        OVERRULED = "overruled", "Not paid at first"
        BONUS = "bonus", "Bonus"

    SPENT = (Kind.PAID, Kind.FEE, Kind.BONUS)
    # What is released for these was one person's share of what was committed.
    OF_PEOPLE = (Reason.WORK, Reason.OVERRULED)

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="ledger")
    publication = models.ForeignKey(
        Publication, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger"
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger"
    )
    reason = models.CharField(max_length=10, choices=Reason.choices)
    occasion = models.CharField(
        max_length=40, blank=True, help_text="Which of several times, where there may be more."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "ledger entries"
        constraints = [
            # The same payment cannot be booked twice.
            models.UniqueConstraint(
                fields=["kind", "submission", "reason", "occasion"],
                condition=Q(submission__isnull=False),
                name="one_entry_per_submission",
            ),
            models.UniqueConstraint(
                fields=["kind", "publication", "reason", "occasion"],
                condition=Q(submission=None, publication__isnull=False),
                name="one_entry_per_publication",
            ),
            models.CheckConstraint(condition=Q(amount__gt=0), name="ledger_amount_positive"),
            models.CheckConstraint(
                condition=Q(kind__in=["committed", "released", "paid", "fee", "bonus"]),
                name="ledger_kind_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} {self.kind}, {self.get_reason_display()}"


class AuditEntry(models.Model):
    """Who did what with a campaign's crowd, and when."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="trail")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty where the platform acted by itself.",
    )
    action = models.CharField(max_length=40)
    detail = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.action}: {self.detail}" if self.detail else self.action

    @property
    def who(self) -> str:
        """Nothing where the platform acted by itself."""
        return (self.person.get_full_name() or self.person.username) if self.person else ""


class Notice(models.Model):
    """A message a crowd sent us by itself; delivered again, it is known by its id."""

    crowd = models.CharField(max_length=20)
    external_id = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["crowd", "external_id"], name="one_row_per_notice")
        ]

    def __str__(self) -> str:
        return f"{self.crowd} notice {self.external_id}"
