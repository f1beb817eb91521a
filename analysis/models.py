"""What it means: results kept as a cache, files of them, metrics, keys for scripts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.utils import timezone

from analysis.filenames import download_name
from hits.models import Campaign, Caption, Video

STALE_AFTER = timedelta(minutes=10)
"""Nothing that is computed takes as long: whoever claimed it is gone."""


class ClaimedQuerySet(models.QuerySet[Any]):
    """Rows that workers make, each claimed by one."""

    def patience(self) -> timedelta:
        """Whoever claimed a row and was silent for so long is gone."""
        return STALE_AFTER

    def left_behind(self) -> Self:
        """A worker should be busy with these, and none is."""
        stale = timezone.now() - self.patience()
        unclaimed = models.Q(claimed_at=None) | models.Q(claimed_at__lt=stale)
        return self.filter(unclaimed, state=Computed.State.WAITING)

    def claim(self, pk: int) -> bool:
        """Whether the row is to be made, and is the caller's to make."""
        return bool(self.left_behind().filter(pk=pk).update(claimed_at=timezone.now()))


class ComputedQuerySet(ClaimedQuerySet):
    def shown(self) -> Self:
        """Finished, or finished once and being made anew: what it was can be shown meanwhile."""
        return self.exclude(state=Computed.State.WAITING, signature="")


class Computed(models.Model):
    """Something made of a campaign's ratings up to one moment, with one set of choices.

    Nothing here is the truth: everything can be made anew from the ratings.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Being made"
        READY = "ready", "Ready"
        FAILED = "failed", "Not possible"

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

    objects = ComputedQuerySet.as_manager()

    class Meta:
        abstract = True


class Result(Computed):
    """The analysis of a campaign's ratings."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="results")

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


class Agreement(Computed):
    """Metrics held against the people of a campaign."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="agreements")
    evidence = models.CharField(
        max_length=16, help_text="Fingerprint of the metric scores and the reviewers' decisions."
    )
    doing = models.CharField(max_length=40, blank=True, help_text="The check under way.")
    done = models.PositiveIntegerField(default=0, help_text="Pieces of it.")
    total = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "choices_key", "last_rating", "evidence"],
                name="one_agreement_per_evidence",
            ),
            models.CheckConstraint(
                condition=~models.Q(state="ready") | ~models.Q(signature=""),
                name="ready_agreement_is_signed",
            ),
        ]

    def __str__(self) -> str:
        return f"Metrics against the people of {self.campaign}, up to rating {self.last_rating}"


class ExportQuerySet(ClaimedQuerySet):
    """Files that workers write, telling every few thousand rows that they are alive."""

    def patience(self) -> timedelta:
        return timedelta(seconds=settings.EXPORT_CLAIM_SECONDS)


class Export(models.Model):
    """A file that is too large to be made while somebody waits: one person's, kept for days."""

    State = Computed.State

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="exports")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    name = models.CharField(max_length=40, help_text="Of the list it holds.")
    format = models.CharField(max_length=10)
    address = models.TextField(help_text="Where it was asked for, filters and all.")
    choices = models.JSONField(help_text="What decides which rows are in it.")
    choices_key = models.CharField(max_length=16)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    problem = models.CharField(max_length=500, blank=True)
    rows = models.BigIntegerField(help_text="How many it will hold, at most.")
    written = models.BigIntegerField(default=0)
    size = models.BigIntegerField(null=True, blank=True, help_text="Bytes, when it is ready.")
    created_at = models.DateTimeField(auto_now_add=True)
    # When a worker last gave a sign of working on it; empty when none has begun.
    claimed_at = models.DateTimeField(null=True, blank=True, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ExportQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "requested_by", "choices_key"], name="one_export_per_choice"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["waiting", "ready", "failed"]),
                name="export_state_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(state="ready") | models.Q(size__isnull=False),
                name="ready_export_has_a_size",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}.{self.format} of {self.campaign}"

    @property
    def filename(self) -> str:
        return f"{self.campaign.slug}-{download_name(self.name, self.choices)}.{self.format}"


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


class MetricCorpus(models.Model):
    """References that rare words are counted in, in place of a campaign's own."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="corpora")
    name = models.CharField(max_length=200, help_text="Of the file it came in.")
    digest = models.CharField(max_length=64)
    references = models.JSONField(help_text="The texts of each video.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "metric corpora"
        constraints = [
            models.UniqueConstraint(fields=["campaign", "digest"], name="one_corpus_per_content")
        ]

    def __str__(self) -> str:
        return self.name


class MetricRun(models.Model):
    """Automatic metrics of a campaign's captions: what was asked for, and how far it is.

    The captions are those of the moment it was asked for: rows are never changed, only retired, so
    every worker finds the same ones however long the run takes.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting for a worker"
        RUNNING = "running", "Being scored"
        DONE = "done", "Scored"
        CANCELLED = "cancelled", "Cancelled"
        FAILED = "failed", "Not possible"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="metric_runs")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    metrics = models.JSONField(help_text="Names, in the order they were asked for.")
    choices = models.JSONField(help_text="The model, and the settings of the metrics.")
    corpus = models.ForeignKey(
        MetricCorpus, on_delete=models.RESTRICT, null=True, blank=True, related_name="runs"
    )
    label = models.CharField(
        max_length=40,
        blank=True,
        help_text="Tells its scores from those of the same metrics computed otherwise.",
    )
    is_chosen = models.BooleanField(
        default=True, help_text="Its scores stand in tables and are held against people."
    )
    last_caption = models.BigIntegerField(help_text="The last caption that is scored.")
    # Embeddings in half and in full precision are different numbers: one run, one kind of device.
    precision = models.CharField(max_length=4, blank=True, editable=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    problem = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="one_metric_run_at_a_time",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["waiting", "running", "done", "cancelled", "failed"]),
                name="metric_run_state_known",
            ),
        ]

    def __str__(self) -> str:
        return f"Metrics of {self.campaign}, run {self.pk}"


class MetricChunk(models.Model):
    """A piece of a run that one worker does at a stretch, and may do twice."""

    class Kind(models.TextChoices):
        SENTENCES = "sentences", "Texts read by the sentence model"
        TEXTS = "texts", "Texts read by the image–text model"
        VIDEOS = "videos", "Videos"
        SCORES = "scores", "Metrics"

    class State(models.TextChoices):
        PENDING = "pending", "Pending"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    run = models.ForeignKey(MetricRun, on_delete=models.CASCADE, related_name="chunks")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    items = models.JSONField(help_text="Ids of videos, first and last place of texts, or metrics.")
    size = models.PositiveIntegerField(help_text="How many items.")
    waits = models.BooleanField(default=False, help_text="Can begin when all is embedded.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    # When a worker last gave a sign of working on it; empty when none has begun.
    claimed_at = models.DateTimeField(null=True, blank=True, editable=False)
    seconds = models.FloatField(null=True, blank=True)
    signatures = models.JSONField(default=dict, blank=True)
    notes = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="chunk_number_per_run"),
            models.CheckConstraint(
                condition=models.Q(state__in=["pending", "done", "failed"]),
                name="metric_chunk_state_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run}, chunk {self.number}"


class MetricScore(models.Model):
    """One metric of one caption. What is not defined is no row here but a fault."""

    # Indexed by the constraint.
    run = models.ForeignKey(
        MetricRun, on_delete=models.CASCADE, related_name="scores", db_index=False
    )
    caption = models.ForeignKey(Caption, on_delete=models.CASCADE, related_name="metric_scores")
    metric = models.CharField(max_length=40)
    value = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "metric", "caption"], name="one_score_per_run_metric_and_caption"
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric} = {self.value}"


class MetricFault(models.Model):
    """Something that could not be scored, and why; without a video it concerns all of them."""

    chunk = models.ForeignKey(MetricChunk, on_delete=models.CASCADE, related_name="faults")
    video = models.ForeignKey(Video, on_delete=models.CASCADE, null=True, related_name="+")
    metrics = models.JSONField(default=list, blank=True)
    message = models.TextField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.message


class MetricWorker(models.Model):
    """A process that computes metrics, and what it said of itself when last heard of."""

    name = models.CharField(max_length=200, unique=True)
    device = models.CharField(max_length=20)
    unavailable = models.JSONField(help_text="Metrics it cannot compute, and why.")
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return f"{self.name} ({self.device})"
