import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("hits", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="MetricChunk",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a worker"),
                            ("running", "Being made"),
                            ("done", "Ready"),
                            ("failed", "Not possible"),
                            ("stopped", "Stopped"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "problem",
                    models.TextField(
                        blank=True, help_text="Why it failed, or what keeps it waiting."
                    ),
                ),
                (
                    "progress",
                    models.JSONField(
                        blank=True, default=dict, help_text="How far it is, for pages."
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("claimed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("claimed_by", models.CharField(blank=True, editable=False, max_length=32)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("number", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("sentences", "Texts read by the sentence model"),
                            ("texts", "Texts read by the image–text model"),
                            ("videos", "Videos"),
                            ("scores", "Metrics"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "items",
                    models.JSONField(
                        help_text="Ids of videos, first and last place of texts, or metrics."
                    ),
                ),
                ("size", models.PositiveIntegerField(help_text="How many items.")),
                (
                    "waits",
                    models.BooleanField(default=False, help_text="Can begin when all is embedded."),
                ),
                ("seconds", models.FloatField(blank=True, null=True)),
                ("signatures", models.JSONField(blank=True, default=dict)),
                ("notes", models.JSONField(blank=True, default=list)),
            ],
            options={
                "ordering": ["run", "number"],
            },
        ),
        migrations.CreateModel(
            name="MetricWorker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200, unique=True)),
                ("device", models.CharField(max_length=20)),
                ("unavailable", models.JSONField(help_text="Metrics it cannot compute, and why.")),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("digest", models.CharField(editable=False, max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("used_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_keys",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "API key",
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="MetricCorpus",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(help_text="Of the file it came in.", max_length=200)),
                ("digest", models.CharField(max_length=64)),
                ("references", models.JSONField(help_text="The texts of each video.")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corpora",
                        to="hits.campaign",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "metric corpora",
            },
        ),
        migrations.CreateModel(
            name="MetricEvaluation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a worker"),
                            ("running", "Being made"),
                            ("done", "Ready"),
                            ("failed", "Not possible"),
                            ("stopped", "Stopped"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "problem",
                    models.TextField(
                        blank=True, help_text="Why it failed, or what keeps it waiting."
                    ),
                ),
                (
                    "progress",
                    models.JSONField(
                        blank=True, default=dict, help_text="How far it is, for pages."
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("claimed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("claimed_by", models.CharField(blank=True, editable=False, max_length=32)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("choices", models.JSONField(help_text="What the analyst chose, by name.")),
                ("choices_key", models.CharField(max_length=16)),
                ("last_rating", models.BigIntegerField(help_text="The last rating that counts.")),
                (
                    "evidence",
                    models.CharField(
                        blank=True,
                        help_text="Fingerprint of all else it was made of.",
                        max_length=16,
                    ),
                ),
                ("signature", models.TextField(blank=True)),
                (
                    "summary",
                    models.JSONField(
                        blank=True, default=dict, help_text="All numbers that are shown."
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="evaluations",
                        to="hits.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="MetricFault",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("metrics", models.JSONField(blank=True, default=list)),
                ("message", models.TextField()),
                (
                    "chunk",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="faults",
                        to="analysis.metricchunk",
                    ),
                ),
                (
                    "video",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="hits.video",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="MetricRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a worker"),
                            ("running", "Being made"),
                            ("done", "Ready"),
                            ("failed", "Not possible"),
                            ("stopped", "Stopped"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "problem",
                    models.TextField(
                        blank=True, help_text="Why it failed, or what keeps it waiting."
                    ),
                ),
                (
                    "progress",
                    models.JSONField(
                        blank=True, default=dict, help_text="How far it is, for pages."
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("claimed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("claimed_by", models.CharField(blank=True, editable=False, max_length=32)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("metrics", models.JSONField(help_text="Names, in the order they were asked for.")),
                (
                    "choices",
                    models.JSONField(help_text="The model, and the settings of the metrics."),
                ),
                (
                    "label",
                    models.CharField(
                        blank=True,
                        help_text="Tells its scores from those of the same metrics computed otherwise.",
                        max_length=40,
                    ),
                ),
                (
                    "is_chosen",
                    models.BooleanField(
                        default=True,
                        help_text="Its scores stand in tables and are held against people.",
                    ),
                ),
                (
                    "last_caption",
                    models.BigIntegerField(help_text="The last caption that is scored."),
                ),
                ("precision", models.CharField(blank=True, editable=False, max_length=4)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="metric_runs",
                        to="hits.campaign",
                    ),
                ),
                (
                    "corpus",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="runs",
                        to="analysis.metriccorpus",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.AddField(
            model_name="metricchunk",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="chunks",
                to="analysis.metricrun",
            ),
        ),
        migrations.CreateModel(
            name="MetricScore",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("metric", models.CharField(max_length=40)),
                ("value", models.FloatField()),
                (
                    "caption",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="metric_scores",
                        to="hits.caption",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scores",
                        to="analysis.metricrun",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PhraseCategory",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("phrase", models.CharField(max_length=300)),
                ("category", models.CharField(max_length=20)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="phrase_categories",
                        to="hits.campaign",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "phrase categories",
                "ordering": ["phrase"],
            },
        ),
        migrations.CreateModel(
            name="Result",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a worker"),
                            ("running", "Being made"),
                            ("done", "Ready"),
                            ("failed", "Not possible"),
                            ("stopped", "Stopped"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "problem",
                    models.TextField(
                        blank=True, help_text="Why it failed, or what keeps it waiting."
                    ),
                ),
                (
                    "progress",
                    models.JSONField(
                        blank=True, default=dict, help_text="How far it is, for pages."
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("claimed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("claimed_by", models.CharField(blank=True, editable=False, max_length=32)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("choices", models.JSONField(help_text="What the analyst chose, by name.")),
                ("choices_key", models.CharField(max_length=16)),
                ("last_rating", models.BigIntegerField(help_text="The last rating that counts.")),
                (
                    "evidence",
                    models.CharField(
                        blank=True,
                        help_text="Fingerprint of all else it was made of.",
                        max_length=16,
                    ),
                ),
                ("signature", models.TextField(blank=True)),
                (
                    "summary",
                    models.JSONField(
                        blank=True, default=dict, help_text="All numbers that are shown."
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="results",
                        to="hits.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["-last_rating", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Description",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a worker"),
                            ("running", "Being made"),
                            ("done", "Ready"),
                            ("failed", "Not possible"),
                            ("stopped", "Stopped"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "problem",
                    models.TextField(
                        blank=True, help_text="Why it failed, or what keeps it waiting."
                    ),
                ),
                (
                    "progress",
                    models.JSONField(
                        blank=True, default=dict, help_text="How far it is, for pages."
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("claimed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("claimed_by", models.CharField(blank=True, editable=False, max_length=32)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("choices", models.JSONField(help_text="What the analyst chose, by name.")),
                ("choices_key", models.CharField(max_length=16)),
                ("last_rating", models.BigIntegerField(help_text="The last rating that counts.")),
                (
                    "evidence",
                    models.CharField(
                        blank=True,
                        help_text="Fingerprint of all else it was made of.",
                        max_length=16,
                    ),
                ),
                ("signature", models.TextField(blank=True)),
                (
                    "summary",
                    models.JSONField(
                        blank=True, default=dict, help_text="All numbers that are shown."
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="descriptions",
                        to="hits.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["waiting", "running", "done", "failed", "stopped"])
                        ),
                        name="description_status_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status", "running"),
                            models.Q(("claimed_at", None), ("claimed_by", "")),
                            _connector="OR",
                        ),
                        name="description_claimed_while_running",
                    ),
                    models.UniqueConstraint(
                        fields=("campaign", "choices_key", "last_rating"),
                        name="one_description_per_cutoff",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "done"), _negated=True),
                            models.Q(("signature", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="ready_description_is_signed",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Export",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a worker"),
                            ("running", "Being made"),
                            ("done", "Ready"),
                            ("failed", "Not possible"),
                            ("stopped", "Stopped"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "problem",
                    models.TextField(
                        blank=True, help_text="Why it failed, or what keeps it waiting."
                    ),
                ),
                (
                    "progress",
                    models.JSONField(
                        blank=True, default=dict, help_text="How far it is, for pages."
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("claimed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("claimed_by", models.CharField(blank=True, editable=False, max_length=32)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("name", models.CharField(help_text="Of the list it holds.", max_length=40)),
                ("format", models.CharField(max_length=10)),
                ("address", models.TextField(help_text="Where it was asked for, filters and all.")),
                ("choices", models.JSONField(help_text="What decides which rows are in it.")),
                ("choices_key", models.CharField(max_length=16)),
                ("rows", models.BigIntegerField(help_text="How many it will hold, at most.")),
                (
                    "size",
                    models.BigIntegerField(
                        blank=True, help_text="Bytes, when it is ready.", null=True
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exports",
                        to="hits.campaign",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["waiting", "running", "done", "failed", "stopped"])
                        ),
                        name="export_status_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status", "running"),
                            models.Q(("claimed_at", None), ("claimed_by", "")),
                            _connector="OR",
                        ),
                        name="export_claimed_while_running",
                    ),
                    models.UniqueConstraint(
                        fields=("campaign", "requested_by", "choices_key"),
                        name="one_export_per_choice",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "done"), _negated=True),
                            ("size__isnull", False),
                            _connector="OR",
                        ),
                        name="ready_export_has_a_size",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LearnedMetric",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a worker"),
                            ("running", "Being made"),
                            ("done", "Ready"),
                            ("failed", "Not possible"),
                            ("stopped", "Stopped"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "problem",
                    models.TextField(
                        blank=True, help_text="Why it failed, or what keeps it waiting."
                    ),
                ),
                (
                    "progress",
                    models.JSONField(
                        blank=True, default=dict, help_text="How far it is, for pages."
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("claimed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("claimed_by", models.CharField(blank=True, editable=False, max_length=32)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("name", models.CharField(max_length=40, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("head", "Head: a small network on text metrics and embeddings"),
                            ("fusion", "Fusion: text metrics, weighted by least squares"),
                            ("bertha", "BERTHA: the sentence model fine-tuned, with a head on top"),
                        ],
                        max_length=10,
                    ),
                ),
                ("seed", models.PositiveIntegerField(default=7)),
                (
                    "last_rating",
                    models.BigIntegerField(help_text="The last rating it learns from."),
                ),
                (
                    "scores_after",
                    models.BooleanField(
                        default=True, help_text="Its campaign is scored with it when it is trained."
                    ),
                ),
                (
                    "config",
                    models.TextField(
                        blank=True, help_text="config.json of its folder, byte by byte."
                    ),
                ),
                (
                    "card",
                    models.TextField(
                        blank=True, help_text="What it was trained on and how well it does."
                    ),
                ),
                (
                    "summary",
                    models.JSONField(blank=True, default=dict, help_text="Numbers of the card."),
                ),
                ("retired_at", models.DateTimeField(blank=True, null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="learned_metrics",
                        to="hits.campaign",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["waiting", "running", "done", "failed", "stopped"])
                        ),
                        name="learnedmetric_status_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status", "running"),
                            models.Q(("claimed_at", None), ("claimed_by", "")),
                            _connector="OR",
                        ),
                        name="learnedmetric_claimed_while_running",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("status__in", ["waiting", "running"])),
                        fields=("campaign",),
                        name="one_training_at_a_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "done"), _negated=True),
                            models.Q(("config", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="trained_metric_is_described",
                    ),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="metriccorpus",
            constraint=models.UniqueConstraint(
                fields=("campaign", "digest"), name="one_corpus_per_content"
            ),
        ),
        migrations.AddConstraint(
            model_name="metricevaluation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["waiting", "running", "done", "failed", "stopped"])
                ),
                name="metricevaluation_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="metricevaluation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status", "running"),
                    models.Q(("claimed_at", None), ("claimed_by", "")),
                    _connector="OR",
                ),
                name="metricevaluation_claimed_while_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="metricevaluation",
            constraint=models.UniqueConstraint(
                fields=("campaign", "choices_key", "last_rating"), name="one_evaluation_per_cutoff"
            ),
        ),
        migrations.AddConstraint(
            model_name="metricevaluation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "done"), _negated=True),
                    models.Q(("signature", ""), _negated=True),
                    _connector="OR",
                ),
                name="ready_evaluation_is_signed",
            ),
        ),
        migrations.AddConstraint(
            model_name="metricrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["waiting", "running", "done", "failed", "stopped"])
                ),
                name="metricrun_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="metricrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status", "running"),
                    models.Q(("claimed_at", None), ("claimed_by", "")),
                    _connector="OR",
                ),
                name="metricrun_claimed_while_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="metricrun",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ["waiting", "running"])),
                fields=("campaign",),
                name="one_metric_run_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="metricchunk",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["waiting", "running", "done", "failed", "stopped"])
                ),
                name="metricchunk_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="metricchunk",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status", "running"),
                    models.Q(("claimed_at", None), ("claimed_by", "")),
                    _connector="OR",
                ),
                name="metricchunk_claimed_while_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="metricchunk",
            constraint=models.UniqueConstraint(
                fields=("run", "number"), name="chunk_number_per_run"
            ),
        ),
        migrations.AddConstraint(
            model_name="metricscore",
            constraint=models.UniqueConstraint(
                fields=("run", "metric", "caption"), name="one_score_per_run_metric_and_caption"
            ),
        ),
        migrations.AddConstraint(
            model_name="phrasecategory",
            constraint=models.UniqueConstraint(
                fields=("campaign", "phrase"), name="one_category_per_phrase"
            ),
        ),
        migrations.AddConstraint(
            model_name="result",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["waiting", "running", "done", "failed", "stopped"])
                ),
                name="result_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="result",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status", "running"),
                    models.Q(("claimed_at", None), ("claimed_by", "")),
                    _connector="OR",
                ),
                name="result_claimed_while_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="result",
            constraint=models.UniqueConstraint(
                fields=("campaign", "choices_key", "last_rating"), name="one_result_per_cutoff"
            ),
        ),
        migrations.AddConstraint(
            model_name="result",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "done"), _negated=True),
                    models.Q(("signature", ""), _negated=True),
                    _connector="OR",
                ),
                name="ready_result_is_signed",
            ),
        ),
    ]
