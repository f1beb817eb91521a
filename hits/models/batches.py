"""HITs: composed together in a batch, each a numbered sequence of captions."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from daplatform.jobs.models import Job
from hits.models.campaigns import Campaign
from hits.models.material import Caption


class Batch(Job):
    """HITs composed together, from one seed and the campaign's settings of that moment."""

    # Only a large batch is ever seen waiting: its HITs appear all at once, when they are written.
    LABELS = dict.fromkeys(Job.ACTIVE, "Being composed") | {"done": "Composed", "failed": "Refused"}

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="batches")
    number = models.PositiveIntegerField()
    seed = models.PositiveBigIntegerField()
    hit_size = models.PositiveSmallIntegerField()
    pairs = models.PositiveSmallIntegerField()
    repeats = models.PositiveSmallIntegerField()
    redundancy = models.PositiveSmallIntegerField()
    merge_identical = models.BooleanField()

    class Meta:
        ordering = ["campaign", "number"]
        verbose_name_plural = "batches"
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["campaign", "number"], name="batch_number_per_campaign"
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
    """One position of a HIT. Degraded and repeated items point at the item they come from.

    An attention check shows the video of its caption, and says in `degraded_text` what to answer.
    """

    class Kind(models.TextChoices):
        SYSTEM = "system", "System"
        REFERENCE = "reference", "Reference"
        DEGRADED = "degraded", "Degraded"
        REPEAT = "repeat", "Repeat"
        ATTENTION = "attention", "Attention check"

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
                condition=Q(kind__in=["system", "reference", "attention"], original=None)
                | Q(kind__in=["degraded", "repeat"], original__isnull=False),
                name="copies_have_an_original",
            ),
            models.CheckConstraint(
                condition=(Q(kind__in=["degraded", "attention"]) & ~Q(degraded_text=""))
                | (~Q(kind__in=["degraded", "attention"]) & Q(degraded_text="")),
                name="only_degraded_items_carry_text",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hit}, position {self.position}"

    @property
    def text(self) -> str:
        """The words the annotator reads."""
        return self.degraded_text or self.caption.text


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
