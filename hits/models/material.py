"""What a campaign is about: videos with their copies, systems, and what each says of each."""

from __future__ import annotations

from typing import ClassVar, Self
from urllib.parse import urlsplit

from django.db import models
from django.db.models import Exists, OuterRef, Q

from daplatform.jobs.models import Job, JobQuerySet
from hits.importing.sandbox import IMAGE_SUFFIXES, IMAGES
from hits.models.campaigns import Campaign


def shows_image(codec: str, url: str) -> bool:
    """Whether what is shown is an image: by its bytes, or by how its address ends.

    >>> shows_image("h264", ""), shows_image("", "https://example.org/a.JPG?size=2")
    (False, True)
    """
    return codec in IMAGES or urlsplit(url).path.lower().endswith(IMAGE_SUFFIXES)


class Video(models.Model):
    """A clip or an image to be described: a file of ours, or an address the browser shows."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="videos")
    name = models.CharField(max_length=200)
    file = models.FileField(max_length=300, blank=True)
    url = models.URLField(max_length=2000, blank=True)
    poster = models.FileField(max_length=300, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    duration = models.FloatField(null=True, blank=True, help_text="Seconds.")
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    codec = models.CharField(max_length=20, blank=True)

    class Meta:
        ordering = ["campaign", "name"]
        # Campaigns may share files: who has one is asked before it is deleted.
        indexes = [models.Index(fields=["file"], condition=~Q(file=""), name="video_by_file")]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="video_name_per_campaign"),
            models.CheckConstraint(
                condition=(Q(file="") & ~Q(url="")) | (~Q(file="") & Q(url="")),
                name="video_is_file_or_url",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_image(self) -> bool:
        return shows_image(self.codec, self.url)


class Clip(models.Model):
    """That a video is some seconds of a longer one, whose file it shares.

    To composing, rating and scoring it is a video like others: only the player and whoever reads
    frames ask from when to when.
    """

    video = models.OneToOneField(Video, on_delete=models.CASCADE, related_name="clip")
    whole = models.CharField(max_length=200, help_text="The name of the longer video.")
    part = models.CharField(max_length=100, blank=True)
    start = models.FloatField(help_text="Seconds.")
    end = models.FloatField(help_text="Seconds.")

    class Meta:
        ordering = ["whole", "start", "end"]
        constraints = [
            models.CheckConstraint(
                condition=Q(start__gte=0, start__lt=models.F("end")), name="clip_has_seconds"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.whole}, {self.start:g} to {self.end:g} s"

    @property
    def fragment(self) -> str:
        """What an address ends with, so that a browser plays these seconds."""
        return f"#t={self.start:g},{self.end:g}"


class System(models.Model):
    """A source of captions: a captioning system, or a set of human captions."""

    class Role(models.TextChoices):
        CANDIDATE = "candidate", "Candidate"
        HUMAN = "human", "Human, ranked as a hidden system"
        REFERENCE = "reference", "Reference"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="systems")
    name = models.CharField(max_length=100)
    role = models.CharField(max_length=10, choices=Role.choices)
    is_control = models.BooleanField(
        default=False, help_text="Supplies the control captions and the material for damaging them."
    )

    team = models.CharField(max_length=100, blank=True, help_text="Whose run it is, if a team's.")
    is_primary = models.BooleanField(
        default=True, help_text="The run its team is ranked by; systems without a team are, too."
    )
    is_rated = models.BooleanField(
        default=True, help_text="Its captions are put before people; metrics score all."
    )

    class Meta:
        ordering = ["campaign", "name"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="system_name_per_campaign"),
            models.UniqueConstraint(
                fields=["campaign", "team"],
                condition=Q(is_primary=True) & ~Q(team=""),
                name="one_primary_run_per_team",
            ),
            models.UniqueConstraint(
                fields=["campaign"], condition=Q(is_control=True), name="one_control_per_campaign"
            ),
            models.CheckConstraint(
                condition=Q(is_control=False) | Q(role="reference"), name="control_is_a_reference"
            ),
            models.CheckConstraint(
                condition=Q(role__in=["candidate", "human", "reference"]), name="system_role_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Caption(models.Model):
    """What one system says of one video. A correction retires the row and adds another."""

    video = models.ForeignKey(Video, on_delete=models.CASCADE, related_name="captions")
    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="captions")
    text = models.TextField()
    filled = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="Marks that people find in it: first character, the one after the last, label. "
        "Empty where it was not looked at.",
    )
    retired_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["video", "system"]
        # Counting a system's captions reads nothing but this.
        indexes = [
            models.Index(
                fields=["system"], condition=Q(retired_at=None), name="caption_current_by_system"
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["video", "system"],
                condition=Q(retired_at=None),
                name="one_caption_per_video_and_system",
            ),
            models.CheckConstraint(condition=~Q(text=""), name="caption_not_empty"),
        ]

    def __str__(self) -> str:
        return self.text


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
