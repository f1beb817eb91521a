"""Campaign archives that were sent in."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from daplatform.jobs.models import Job
from hits.models.campaigns import Campaign


class Upload(Job):
    """A campaign archive someone sent in, what was found in it, and what became of it.

    It is a job twice: to be checked and, once its owner has confirmed it, to be imported.
    """

    class Stage(models.TextChoices):
        CHECK = "check", "checked"
        IMPORT = "import", "imported"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads"
    )
    archive = models.FileField(upload_to="uploads/", max_length=300)
    filename = models.CharField(max_length=200)
    stage = models.CharField(max_length=10, choices=Stage.choices, default=Stage.CHECK)
    report = models.JSONField(default=dict, blank=True)
    campaign = models.ForeignKey(Campaign, on_delete=models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [*Job.Meta.constraints]

    def __str__(self) -> str:
        return self.filename

    @property
    def status_label(self) -> str:
        stage = str(self.Stage(self.stage).label)
        done = {self.Status.DONE: stage.capitalize(), self.Status.FAILED: "Refused"}
        return done.get(self.Status(self.status), f"Being {stage}")

    @property
    def is_checked(self) -> bool:
        """Sound, and waiting for its owner to confirm it."""
        return self.stage == self.Stage.CHECK and self.status == self.Status.DONE

    @property
    def is_imported(self) -> bool:
        return self.stage == self.Stage.IMPORT and self.status == self.Status.DONE
