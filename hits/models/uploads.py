"""Campaign archives that were sent in."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from hits.models.campaigns import Campaign


class Upload(models.Model):
    """A campaign archive someone sent in, what was found in it, and what became of it."""

    class State(models.TextChoices):
        CHECKING = "checking", "Being checked"
        CHECKED = "checked", "Checked"
        IMPORTING = "importing", "Being imported"
        DONE = "done", "Imported"
        FAILED = "failed", "Refused"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads"
    )
    archive = models.FileField(upload_to="uploads/", max_length=300)
    filename = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=State.choices, default=State.CHECKING)
    report = models.JSONField(default=dict, blank=True)
    # What is being done, and how far it has come: for the progress bar.
    step = models.CharField(max_length=100, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    campaign = models.ForeignKey(Campaign, on_delete=models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    # When a worker last gave a sign of working on it; empty when none has begun.
    claimed_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.filename
