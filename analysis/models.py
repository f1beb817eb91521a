"""What it means: results kept as a cache, files of them, metrics, keys for scripts."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models

from analysis.presenting.filenames import download_name
from daplatform.jobs.models import Job, JobQuerySet
from hits.models import Campaign, Caption, Video


class ComputedQuerySet(JobQuerySet):
    def shown(self) -> Self:
        """Finished, or finished once and being made anew: what it was can be shown meanwhile."""
        return self.exclude(status__in=Job.ACTIVE, signature="")


class Computed(Job):
    """Something made of a campaign's ratings up to one moment, with one set of choices.

    Nothing here is the truth: everything can be made anew from the ratings.
    """

    choices = models.JSONField(help_text="What the analyst chose, by name.")
    choices_key = models.CharField(max_length=16)
    last_rating = models.BigIntegerField(help_text="The last rating that counts.")
    evidence = models.CharField(
        max_length=16, blank=True, help_text="Fingerprint of all else it was made of."
    )
    signature = models.TextField(blank=True)
    summary = models.JSONField(default=dict, blank=True, help_text="All numbers that are shown.")

    objects = ComputedQuerySet.as_manager()  # type: ignore[misc] # another than a Job's

    class Meta:
        abstract = True


class Result(Computed):
    """The analysis of a campaign's ratings."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="results")

    class Meta:
        ordering = ["-last_rating", "-pk"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["campaign", "choices_key", "last_rating"], name="one_result_per_cutoff"
            ),
            models.CheckConstraint(
                condition=~models.Q(status="done") | ~models.Q(signature=""),
                name="ready_result_is_signed",
            ),
        ]

    def __str__(self) -> str:
        return f"Result of {self.campaign} up to rating {self.last_rating}"


class MetricEvaluation(Computed):
    """Metrics held against the people of a campaign."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="evaluations")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["campaign", "choices_key", "last_rating"], name="one_evaluation_per_cutoff"
            ),
            models.CheckConstraint(
                condition=~models.Q(status="done") | ~models.Q(signature=""),
                name="ready_evaluation_is_signed",
            ),
        ]

    def __str__(self) -> str:
        return f"Metrics against the people of {self.campaign}, up to rating {self.last_rating}"

    @property
    def queue(self) -> str:
        """The metric workers have the models: checks compute metrics again, and marked words are
        compared with token scores."""
        needs_models = self.choices.get("checks") or self.campaign.asked.marks
        return "gpu" if needs_models else self.QUEUE


class Description(Computed):
    """What a paper says of its data, of one campaign: texts, likeness, people, scores, cost."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="descriptions")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["campaign", "choices_key", "last_rating"],
                name="one_description_per_cutoff",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="done") | ~models.Q(signature=""),
                name="ready_description_is_signed",
            ),
        ]

    def __str__(self) -> str:
        return f"Description of {self.campaign}, up to rating {self.last_rating}"


class Export(Job):
    """A file that is too large to be made while somebody waits: one person's, kept for days."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="exports")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    name = models.CharField(max_length=40, help_text="Of the list it holds.")
    format = models.CharField(max_length=10)
    address = models.TextField(help_text="Where it was asked for, filters and all.")
    choices = models.JSONField(help_text="What decides which rows are in it.")
    choices_key = models.CharField(max_length=16)
    rows = models.BigIntegerField(help_text="How many it will hold, at most.")
    size = models.BigIntegerField(null=True, blank=True, help_text="Bytes, when it is ready.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["campaign", "requested_by", "choices_key"], name="one_export_per_choice"
            ),
            models.CheckConstraint(
                condition=~models.Q(status="done") | models.Q(size__isnull=False),
                name="ready_export_has_a_size",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}.{self.format} of {self.campaign}"

    @property
    def written(self) -> int:
        """Rows so far."""
        return int(self.progress.get("rows", 0))

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


class MetricRun(Job):
    """Automatic metrics of a campaign's captions: what was asked for, and how far it is.

    The captions are those of the moment it was asked for: rows are never changed, only retired, so
    every worker finds the same ones however long the run takes.
    """

    LABELS = {"running": "Being scored", "done": "Scored", "stopped": "Cancelled"}
    QUEUE = "gpu"

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

    class Meta:
        ordering = ["-pk"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["campaign"],
                condition=models.Q(status__in=["waiting", "running"]),
                name="one_metric_run_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"Metrics of {self.campaign}, run {self.pk}"


class MetricChunkQuerySet(JobQuerySet):
    def ready(self) -> Self:
        """Scores of embeddings can be begun only when there is nothing left to embed."""
        embedding = MetricChunk.objects.active().exclude(kind=MetricChunk.Kind.SCORES)
        unembedded = models.Exists(embedding.filter(run=models.OuterRef("run")))
        going = self.filter(run__status=Job.Status.RUNNING)
        return going.exclude(models.Q(unembedded, waits=True))


class MetricChunk(Job):
    """A piece of a run that one worker does at a stretch, and may do twice."""

    class Kind(models.TextChoices):
        SENTENCES = "sentences", "Texts read by the sentence model"
        TEXTS = "texts", "Texts read by the image–text model"
        VIDEOS = "videos", "Videos"
        SCORES = "scores", "Metrics"

    QUEUE = "gpu"

    run = models.ForeignKey(MetricRun, on_delete=models.CASCADE, related_name="chunks")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    items = models.JSONField(help_text="Ids of videos, first and last place of texts, or metrics.")
    size = models.PositiveIntegerField(help_text="How many items.")
    waits = models.BooleanField(default=False, help_text="Can begin when all is embedded.")
    seconds = models.FloatField(null=True, blank=True)
    signatures = models.JSONField(default=dict, blank=True)
    notes = models.JSONField(default=list, blank=True)

    objects = MetricChunkQuerySet.as_manager()  # type: ignore[misc] # another than a Job's

    class Meta:
        ordering = ["run", "number"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["run", "number"], name="chunk_number_per_run"),
        ]

    def __str__(self) -> str:
        return f"{self.run}, chunk {self.number}"


class LearnedMetricQuerySet(JobQuerySet):
    def ready(self) -> Self:
        """Training waits while its campaign is scored: both want the same embeddings and device."""
        scoring = MetricRun.objects.active().filter(campaign=models.OuterRef("campaign"))
        return self.exclude(models.Exists(scoring))

    def trained(self) -> Self:
        return self.filter(status=Job.Status.DONE)

    def offered(self) -> Self:
        """Those that new captions are scored with."""
        return self.trained().filter(retired_at=None)


class LearnedMetric(Job):
    """A metric that learns from a campaign's ratings, or has learned.

    Its weights lie in the store, in a folder of its name, and never change: the name stands for one
    fingerprint, and is not given again.
    """

    LABELS = {"running": "Being trained", "done": "Trained"}
    QUEUE = "gpu"

    class Kind(models.TextChoices):
        HEAD = "head", "Head: a small network on text metrics and embeddings"
        FUSION = "fusion", "Fusion: text metrics, weighted by least squares"
        BERTHA = "bertha", "BERTHA: the sentence model fine-tuned, with a head on top"

    # Scores outlive the campaign they were learned from: other campaigns have them.
    campaign = models.ForeignKey(
        Campaign, on_delete=models.SET_NULL, null=True, related_name="learned_metrics"
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    name = models.CharField(max_length=40, unique=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    seed = models.PositiveIntegerField(default=7)
    last_rating = models.BigIntegerField(help_text="The last rating it learns from.")
    scores_after = models.BooleanField(
        default=True, help_text="Its campaign is scored with it when it is trained."
    )
    config = models.TextField(blank=True, help_text="config.json of its folder, byte by byte.")
    card = models.TextField(blank=True, help_text="What it was trained on and how well it does.")
    summary = models.JSONField(default=dict, blank=True, help_text="Numbers of the card.")
    retired_at = models.DateTimeField(null=True, blank=True)

    objects = LearnedMetricQuerySet.as_manager()  # type: ignore[misc] # another than a Job's

    class Meta:
        ordering = ["-pk"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["campaign"],
                condition=models.Q(status__in=["waiting", "running"]),
                name="one_training_at_a_time",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="done") | ~models.Q(config=""),
                name="trained_metric_is_described",
            ),
        ]

    def __str__(self) -> str:
        return self.name


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


class PhraseCategory(models.Model):
    """Which kind of error a phrase is that people marked, as a person decided."""

    LONGEST = 300  # characters; a longer mark is no phrase that could come again

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="phrase_categories"
    )
    phrase = models.CharField(max_length=LONGEST)
    category = models.CharField(max_length=20)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["phrase"]
        verbose_name_plural = "phrase categories"
        constraints = [
            models.UniqueConstraint(fields=["campaign", "phrase"], name="one_category_per_phrase")
        ]

    def __str__(self) -> str:
        return f"{self.phrase}: {self.category}"


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
