"""Copies of videos for browsers that do not play the file itself, or not on the road."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models
from django.db.models import Exists, OuterRef, Q

from daplatform.jobs.models import Job, JobQuerySet
from hits.models.campaigns import Campaign
from hits.models.material import Video


class RenditionQuerySet(JobQuerySet):
    def of(self, campaign: Campaign) -> Self:
        return self.filter(source__in=Video.objects.filter(campaign=campaign).values("file"))

    def orphans(self) -> Self:
        """Those whose file no video has any more."""
        return self.filter(~Exists(Video.objects.filter(file=OuterRef("source"))))


class Rendition(Job):
    """One copy of a stored file, for every video that has it; metrics read the file itself."""

    class Kind(models.TextChoices):
        WEB = "web", "For browsers"
        LIGHT = "light", "For phones"

    LABELS: ClassVar[dict[str, str]] = {"running": "Being converted", "done": "Converted"}

    source = models.CharField(max_length=300, help_text="The name of the file it is a copy of.")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    file = models.FileField(max_length=320, blank=True)

    objects = RenditionQuerySet.as_manager()  # type: ignore[misc] # another than a Job's

    class Meta:
        ordering = ["source", "kind"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["source", "kind"], name="one_rendition_of_a_kind"),
            models.CheckConstraint(
                condition=Q(kind__in=["web", "light"]), name="rendition_kind_known"
            ),
            models.CheckConstraint(
                condition=~Q(status="done") | ~Q(file=""), name="rendition_done_has_its_file"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} ({self.get_kind_display()})"
