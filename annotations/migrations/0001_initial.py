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
            name="Annotator",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("pseudonym", models.CharField(max_length=20, unique=True)),
                ("is_simulated", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["pseudonym"],
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("active", "In progress"),
                            ("submitted", "Submitted"),
                            ("approved", "Paid"),
                            ("rejected", "Not paid"),
                            ("returned", "Given back"),
                            ("expired", "Ran out of time"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                (
                    "slot",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Which of the HIT's assignments; none while it is unconfirmed.",
                        null=True,
                    ),
                ),
                ("claimed_at", models.DateTimeField(blank=True, null=True)),
                ("consented_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
                ("comment", models.TextField(blank=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="annotations.annotator",
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="turns",
                        to="hits.campaign",
                    ),
                ),
                (
                    "hit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="hits.hit",
                    ),
                ),
            ],
            options={
                "ordering": ["hit", "slot", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Correction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("remark", models.CharField(max_length=500)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("done_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corrections",
                        to="annotations.assignment",
                    ),
                ),
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
                    "video",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="corrections",
                        to="hits.video",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="FormAnswers",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("answers", models.JSONField()),
                (
                    "assignment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="form_answers",
                        to="annotations.assignment",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "form answers",
            },
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("system", "System"),
                            ("reference", "Reference"),
                            ("degraded", "Degraded"),
                            ("repeat", "Repeat"),
                        ],
                        max_length=10,
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("revision", models.PositiveSmallIntegerField()),
                (
                    "key",
                    models.UUIDField(
                        help_text="Chosen by the browser; a repeated post is known by it."
                    ),
                ),
                ("score", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("fluency", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("answers", models.JSONField(blank=True, null=True)),
                ("served_at", models.DateTimeField()),
                ("created_at", models.DateTimeField()),
                (
                    "is_unwatched",
                    models.BooleanField(
                        help_text="Given sooner than the video could have been watched."
                    ),
                ),
                ("client_elapsed_ms", models.PositiveIntegerField()),
                ("client_first_touch_ms", models.PositiveIntegerField()),
                ("client_last_touch_ms", models.PositiveIntegerField()),
                ("client_moves", models.PositiveIntegerField()),
                ("client_plays", models.PositiveIntegerField()),
                ("client_watched_ms", models.PositiveIntegerField()),
                ("client_hidden_ms", models.PositiveIntegerField()),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="annotations.annotator",
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="annotations.assignment",
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="hits.campaign",
                    ),
                ),
                (
                    "caption",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="hits.caption",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="hits.hititem",
                    ),
                ),
                (
                    "original",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="hits.hititem",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Mark",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("question", models.CharField(max_length=30)),
                ("start", models.PositiveIntegerField()),
                ("end", models.PositiveIntegerField()),
                ("label", models.CharField(max_length=70)),
                (
                    "rating",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="marks",
                        to="annotations.rating",
                    ),
                ),
            ],
            options={
                "ordering": ["rating", "start"],
            },
        ),
        migrations.CreateModel(
            name="Removal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
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
                    "rating",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="removal",
                        to="annotations.rating",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="VideoProblem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("no-picture", "It does not play"),
                            ("stops", "It stops or jerks"),
                            ("no-sound", "The sound is missing"),
                            ("disturbing", "It is offensive or disturbing"),
                            ("other", "Something else"),
                        ],
                        max_length=20,
                    ),
                ),
                ("remark", models.CharField(blank=True, max_length=500)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="video_problems",
                        to="annotations.assignment",
                    ),
                ),
                (
                    "video",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="problems",
                        to="hits.video",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="AnnotatorIdentity",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("crowd", models.CharField(max_length=20)),
                ("external_id", models.CharField(max_length=200)),
                (
                    "annotator",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="identity",
                        to="annotations.annotator",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "annotator identities",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("crowd", "external_id"), name="one_annotator_per_person"
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("state", "active")),
                fields=["expires_at"],
                name="assignment_running_out",
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("state", "open")),
                fields=["campaign", "hit", "slot"],
                name="assignment_to_be_taken",
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("slot", None)),
                fields=["campaign", "hit"],
                name="assignment_unconfirmed",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["returned", "expired"]), _negated=True),
                fields=("hit", "slot"),
                name="one_assignment_per_slot",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("slot__isnull", False)),
                fields=("hit", "annotator"),
                name="one_turn_per_person_and_hit",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "open"), _negated=True),
                    ("slot__isnull", False),
                    _connector="OR",
                ),
                name="open_assignment_is_a_slot",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("annotator", None),
                        ("claimed_at", None),
                        ("expires_at", None),
                        ("state", "open"),
                    ),
                    models.Q(
                        models.Q(("state", "open"), _negated=True),
                        ("annotator__isnull", False),
                        ("claimed_at__isnull", False),
                        ("expires_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="assignment_taken_by_someone",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("state__in", ["submitted", "approved", "rejected"]),
                        ("submitted_at__isnull", False),
                    ),
                    models.Q(
                        ("state__in", ["open", "active", "returned", "expired"]),
                        ("submitted_at", None),
                    ),
                    _connector="OR",
                ),
                name="assignment_submission_dated",
            ),
        ),
        migrations.AddConstraint(
            model_name="correction",
            constraint=models.UniqueConstraint(
                condition=models.Q(("done_at", None)),
                fields=("assignment", "video"),
                name="one_open_correction_per_video",
            ),
        ),
        migrations.AddIndex(
            model_name="rating",
            index=models.Index(fields=["campaign", "id"], name="rating_by_campaign"),
        ),
        migrations.AddConstraint(
            model_name="rating",
            constraint=models.UniqueConstraint(
                fields=("assignment", "position", "revision"), name="one_rating_per_revision"
            ),
        ),
        migrations.AddConstraint(
            model_name="rating",
            constraint=models.UniqueConstraint(
                fields=("assignment", "key"), name="one_rating_per_post"
            ),
        ),
        migrations.AddConstraint(
            model_name="rating",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("score__isnull", False), ("score__lte", 100)),
                    models.Q(("answers__isnull", False), ("score", None)),
                    _connector="OR",
                ),
                name="score_0_to_100",
            ),
        ),
        migrations.AddConstraint(
            model_name="rating",
            constraint=models.CheckConstraint(
                condition=models.Q(("fluency", None), ("fluency__lte", 100), _connector="OR"),
                name="fluency_0_to_100",
            ),
        ),
        migrations.AddConstraint(
            model_name="rating",
            constraint=models.CheckConstraint(
                condition=models.Q(("revision__gte", 1)), name="revision_from_1"
            ),
        ),
        migrations.AddConstraint(
            model_name="rating",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind__in", ["system", "reference"]), ("original", None)),
                    models.Q(("kind__in", ["degraded", "repeat"]), ("original__isnull", False)),
                    _connector="OR",
                ),
                name="rated_copies_have_an_original",
            ),
        ),
        migrations.AddConstraint(
            model_name="mark",
            constraint=models.UniqueConstraint(
                fields=("rating", "question", "start"), name="one_mark_per_place"
            ),
        ),
        migrations.AddConstraint(
            model_name="mark",
            constraint=models.CheckConstraint(
                condition=models.Q(("start__lt", models.F("end"))), name="mark_holds_characters"
            ),
        ),
        migrations.AddConstraint(
            model_name="videoproblem",
            constraint=models.UniqueConstraint(
                fields=("assignment", "video", "kind"), name="one_report_of_a_kind_per_turn"
            ),
        ),
    ]
