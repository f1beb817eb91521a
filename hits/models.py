"""What is asked: campaigns, their material, and the HITs made of it."""

from __future__ import annotations

from decimal import Decimal

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse


class Campaign(models.Model):
    """One question put to a crowd: videos, systems, captions, and how they are to be rated."""

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        LIVE = "live", "Live"
        CLOSED = "closed", "Closed"

    name = models.CharField(max_length=200)
    slug = models.SlugField(max_length=80, unique=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="campaigns"
    )
    colleagues = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="shared_campaigns"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    created_at = models.DateTimeField(auto_now_add=True)
    source_digest = models.CharField(max_length=64, editable=False)
    is_demo = models.BooleanField(default=False, editable=False)

    hit_size = models.PositiveSmallIntegerField(default=100, help_text="Captions in a HIT.")
    pairs = models.PositiveSmallIntegerField(
        default=10, help_text="Control captions, and their damaged copies, in a HIT."
    )
    repeats = models.PositiveSmallIntegerField(default=10, help_text="Exact repeats in a HIT.")
    redundancy = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1)], help_text="HITs that hold each caption."
    )
    assignments = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1)], help_text="People per HIT."
    )
    seed = models.PositiveBigIntegerField(default=7)
    reward = models.DecimalField(
        max_digits=7,
        decimal_places=2,
        default=Decimal("0.99"),
        validators=[MinValueValidator(Decimal("0"))],
        help_text="Paid per finished HIT, in US dollars.",
    )
    merge_identical = models.BooleanField(
        default=False,
        help_text="Ask identical captions of one video once and credit every system that wrote it.",
    )

    asks_fluency = models.BooleanField(default=False, help_text="Ask a second, fluency question.")
    must_watch = models.BooleanField(
        default=True, help_text="Show caption and scale only after the video was played to its end."
    )
    shows_number = models.BooleanField(
        default=False, help_text="Show the chosen number beside the scale."
    )
    instructions = models.TextField(blank=True, help_text="Added to the standard instructions.")
    consent = models.TextField(
        blank=True, help_text="Shown first, to be agreed to, when not empty."
    )
    minutes_allowed = models.PositiveSmallIntegerField(
        default=180, validators=[MinValueValidator(1)], help_text="Time to finish a HIT."
    )
    max_hits_per_annotator = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text="Empty for no limit."
    )
    min_pairs = models.PositiveSmallIntegerField(
        default=10, help_text="Pairs needed before quality control decides about a person."
    )
    assumed_pass_rate = models.FloatField(
        default=0.8,
        validators=[MinValueValidator(0.01), MaxValueValidator(1.0)],
        help_text="Share of people expected to pass quality control, for planning.",
    )

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="campaign_name_per_owner"),
            models.UniqueConstraint(
                fields=["owner", "source_digest"], name="campaign_imported_once_per_owner"
            ),
            models.CheckConstraint(
                condition=Q(redundancy__gte=1, assignments__gte=1, minutes_allowed__gte=1),
                name="campaign_counts_positive",
            ),
            models.CheckConstraint(condition=Q(reward__gte=0), name="campaign_reward_not_negative"),
            models.CheckConstraint(
                condition=Q(assumed_pass_rate__gt=0, assumed_pass_rate__lte=1),
                name="campaign_pass_rate_is_share",
            ),
            models.CheckConstraint(
                condition=Q(hit_size__gt=2 * F("pairs") + F("repeats")),
                name="campaign_hit_has_room_for_systems",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "live", "closed"]), name="campaign_state_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("hits:campaign-detail", args=[self.slug])


class Video(models.Model):
    """A clip to be described: a file of ours, or an address the annotator's browser plays."""

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
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="video_name_per_campaign"),
            models.CheckConstraint(
                condition=(Q(file="") & ~Q(url="")) | (~Q(file="") & Q(url="")),
                name="video_is_file_or_url",
            ),
        ]

    def __str__(self) -> str:
        return self.name


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

    class Meta:
        ordering = ["campaign", "name"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="system_name_per_campaign"),
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


class Batch(models.Model):
    """HITs composed together, from one seed and the campaign's settings of that moment."""

    class State(models.TextChoices):
        WAITING = "waiting", "Being composed"
        COMPOSED = "composed", "Composed"
        REFUSED = "refused", "Refused"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="batches")
    number = models.PositiveIntegerField()
    # Only a large batch is ever seen waiting: its HITs appear all at once, when they are written.
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    refusal = models.TextField(blank=True, help_text="Why no HITs could be made.")
    seed = models.PositiveBigIntegerField()
    hit_size = models.PositiveSmallIntegerField()
    pairs = models.PositiveSmallIntegerField()
    repeats = models.PositiveSmallIntegerField()
    redundancy = models.PositiveSmallIntegerField()
    merge_identical = models.BooleanField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["campaign", "number"]
        verbose_name_plural = "batches"
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "number"], name="batch_number_per_campaign"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "composed", "refused"]), name="batch_state_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.campaign}, batch {self.number}"


class Hit(models.Model):
    """One task: a numbered sequence of captions for one person to rate."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="hits")
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["batch", "number"]
        verbose_name = "HIT"
        constraints = [
            models.UniqueConstraint(fields=["batch", "number"], name="hit_number_per_batch")
        ]

    def __str__(self) -> str:
        return f"{self.batch}, HIT {self.number}"


class HitItem(models.Model):
    """One position of a HIT. Degraded and repeated items point at the item they come from."""

    class Kind(models.TextChoices):
        SYSTEM = "system", "System"
        REFERENCE = "reference", "Reference"
        DEGRADED = "degraded", "Degraded"
        REPEAT = "repeat", "Repeat"

    # Indexed by the constraint on (hit, position).
    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, related_name="items", db_index=False)
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    caption = models.ForeignKey(Caption, on_delete=models.PROTECT, related_name="items")
    # Looked up from a degraded or repeated item, never towards it: an index would only cost.
    original = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="+", db_index=False
    )
    degraded_text = models.TextField(blank=True)
    words_replaced = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["hit", "position"]
        constraints = [
            models.UniqueConstraint(fields=["hit", "position"], name="one_item_per_position"),
            models.CheckConstraint(
                condition=Q(kind__in=["system", "reference"], original=None)
                | Q(kind__in=["degraded", "repeat"], original__isnull=False),
                name="copies_have_an_original",
            ),
            models.CheckConstraint(
                condition=(Q(kind="degraded") & ~Q(degraded_text=""))
                | (~Q(kind="degraded") & Q(degraded_text="")),
                name="only_degraded_items_carry_text",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hit}, position {self.position}"

    @property
    def text(self) -> str:
        """The words the annotator reads."""
        return self.degraded_text or self.caption.text


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
