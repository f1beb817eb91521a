"""What it means: results kept as a cache, keyed by what decided them, and keys for scripts."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from hits.models import Campaign


class Result(models.Model):
    """The analysis of a campaign's ratings up to one moment, with one set of choices.

    Nothing here is the truth: everything can be made anew from the ratings.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Being made"
        READY = "ready", "Ready"
        FAILED = "failed", "Not possible"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="results")
    choices = models.JSONField(help_text="What the analyst chose, by name.")
    choices_key = models.CharField(max_length=16)
    last_rating = models.BigIntegerField(help_text="The last rating that counts.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    problem = models.CharField(max_length=500, blank=True)
    signature = models.TextField(blank=True)
    page = models.JSONField(default=dict, blank=True, help_text="What the page shows.")
    created_at = models.DateTimeField(auto_now_add=True)
    claimed_at = models.DateTimeField(null=True, blank=True, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-last_rating", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "choices_key", "last_rating"], name="one_result_per_cutoff"
            ),
            models.CheckConstraint(
                condition=~models.Q(state="ready") | ~models.Q(signature=""),
                name="ready_result_is_signed",
            ),
        ]

    def __str__(self) -> str:
        return f"Result of {self.campaign} up to rating {self.last_rating}"


class ApiKey(models.Model):
    """A person's key for scripts. Only its digest is kept, so it is shown once."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_keys"
    )
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at"]
        verbose_name = "API key"

    def __str__(self) -> str:
        return self.name
