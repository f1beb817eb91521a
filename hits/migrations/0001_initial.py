import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Caption",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                ("retired_at", models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                "ordering": ["video", "system"],
            },
        ),
        migrations.CreateModel(
            name="Campaign",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("slug", models.SlugField(max_length=80, unique=True)),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "Draft"), ("live", "Live"), ("closed", "Closed")],
                        default="draft",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("source_digest", models.CharField(editable=False, max_length=64)),
                ("is_demo", models.BooleanField(default=False, editable=False)),
                (
                    "protocol",
                    models.CharField(
                        default="direct",
                        help_text="What a page asks. Another protocol changes the sizes in the plan.",
                        max_length=30,
                    ),
                ),
                (
                    "hit_size",
                    models.PositiveSmallIntegerField(default=100, help_text="Captions in a HIT."),
                ),
                (
                    "pairs",
                    models.PositiveSmallIntegerField(
                        default=10,
                        help_text="Control captions, and their damaged copies, in a HIT.",
                    ),
                ),
                (
                    "repeats",
                    models.PositiveSmallIntegerField(
                        default=10, help_text="Exact repeats in a HIT."
                    ),
                ),
                (
                    "redundancy",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="HITs that hold each caption.",
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "assignments",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="People per HIT.",
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                ("seed", models.PositiveBigIntegerField(default=7)),
                (
                    "reward",
                    models.DecimalField(
                        decimal_places=2,
                        default=Decimal("0.99"),
                        help_text="Paid per finished HIT, in US dollars.",
                        max_digits=7,
                        validators=[django.core.validators.MinValueValidator(Decimal("0"))],
                    ),
                ),
                (
                    "merge_identical",
                    models.BooleanField(
                        default=False,
                        help_text="Ask identical captions of one video once and credit every system that wrote it.",
                    ),
                ),
                (
                    "asks_fluency",
                    models.BooleanField(default=False, help_text="Ask a second, fluency question."),
                ),
                (
                    "must_watch",
                    models.BooleanField(
                        default=True,
                        help_text="Show caption and scale only after the video was played to its end.",
                    ),
                ),
                (
                    "shows_number",
                    models.BooleanField(
                        default=False, help_text="Show the chosen number beside the scale."
                    ),
                ),
                (
                    "instructions",
                    models.TextField(blank=True, help_text="Added to the standard instructions."),
                ),
                (
                    "consent",
                    models.TextField(
                        blank=True, help_text="Shown first, to be agreed to, when not empty."
                    ),
                ),
                (
                    "contact",
                    models.CharField(
                        blank=True,
                        help_text="Whom annotators may ask: an address or a name. Shown before they begin.",
                        max_length=200,
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("en", "English"),
                            ("de", "Deutsch"),
                            ("fr", "Français"),
                            ("es", "Español"),
                            ("pt", "Português"),
                            ("zh-hans", "简体中文"),
                            ("hi", "हिन्दी"),
                        ],
                        help_text="Of the annotators’ pages. Empty: the one each browser asks for.",
                        max_length=10,
                    ),
                ),
                (
                    "translations",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="Instructions and consent in other languages, by language.",
                    ),
                ),
                (
                    "questions",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        editable=False,
                        help_text="Kinds of errors, sliders and a remark of its own, as campaign.toml has them.",
                    ),
                ),
                (
                    "offers_speed",
                    models.BooleanField(
                        default=False,
                        help_text="Let annotators play videos at up to twice the speed.",
                    ),
                ),
                (
                    "minutes_allowed",
                    models.PositiveSmallIntegerField(
                        default=180,
                        help_text="Time to finish a HIT.",
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "max_hits_per_annotator",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Empty for no limit.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "min_pairs",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="Pairs needed before quality control decides about a person, if more than its test needs.",
                    ),
                ),
                (
                    "assumed_pass_rate",
                    models.FloatField(
                        default=0.8,
                        help_text="Share of people expected to pass quality control, for planning.",
                        validators=[
                            django.core.validators.MinValueValidator(0.01),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                    ),
                ),
                (
                    "colleagues",
                    models.ManyToManyField(
                        blank=True, related_name="shared_campaigns", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="campaigns",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Batch",
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
                ("seed", models.PositiveBigIntegerField()),
                ("hit_size", models.PositiveSmallIntegerField()),
                ("pairs", models.PositiveSmallIntegerField()),
                ("repeats", models.PositiveSmallIntegerField()),
                ("redundancy", models.PositiveSmallIntegerField()),
                ("merge_identical", models.BooleanField()),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="batches",
                        to="hits.campaign",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "batches",
                "ordering": ["campaign", "number"],
            },
        ),
        migrations.CreateModel(
            name="Hit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hits",
                        to="hits.batch",
                    ),
                ),
            ],
            options={
                "verbose_name": "HIT",
                "ordering": ["batch", "number"],
            },
        ),
        migrations.CreateModel(
            name="HitItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
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
                ("degraded_text", models.TextField(blank=True)),
                ("words_replaced", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "caption",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="items",
                        to="hits.caption",
                    ),
                ),
                (
                    "hit",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="hits.hit",
                    ),
                ),
                (
                    "original",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="hits.hititem",
                    ),
                ),
            ],
            options={
                "ordering": ["hit", "position"],
            },
        ),
        migrations.CreateModel(
            name="Rendition",
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
                (
                    "source",
                    models.CharField(
                        help_text="The name of the file it is a copy of.", max_length=300
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("web", "For browsers"), ("light", "For phones")], max_length=10
                    ),
                ),
                ("file", models.FileField(blank=True, max_length=320, upload_to="")),
            ],
            options={
                "ordering": ["source", "kind"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["waiting", "running", "done", "failed", "stopped"])
                        ),
                        name="rendition_status_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status", "running"),
                            models.Q(("claimed_at", None), ("claimed_by", "")),
                            _connector="OR",
                        ),
                        name="rendition_claimed_while_running",
                    ),
                    models.UniqueConstraint(
                        fields=("source", "kind"), name="one_rendition_of_a_kind"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["web", "light"])),
                        name="rendition_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "done"), _negated=True),
                            models.Q(("file", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="rendition_done_has_its_file",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="System",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("candidate", "Candidate"),
                            ("human", "Human, ranked as a hidden system"),
                            ("reference", "Reference"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "is_control",
                    models.BooleanField(
                        default=False,
                        help_text="Supplies the control captions and the material for damaging them.",
                    ),
                ),
                (
                    "team",
                    models.CharField(
                        blank=True, help_text="Whose run it is, if a team's.", max_length=100
                    ),
                ),
                (
                    "is_primary",
                    models.BooleanField(
                        default=True,
                        help_text="The run its team is ranked by; systems without a team are, too.",
                    ),
                ),
                (
                    "is_rated",
                    models.BooleanField(
                        default=True,
                        help_text="Its captions are put before people; metrics score all.",
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="systems",
                        to="hits.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["campaign", "name"],
            },
        ),
        migrations.AddField(
            model_name="caption",
            name="system",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="captions",
                to="hits.system",
            ),
        ),
        migrations.CreateModel(
            name="Upload",
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
                ("archive", models.FileField(max_length=300, upload_to="uploads/")),
                ("filename", models.CharField(max_length=200)),
                (
                    "stage",
                    models.CharField(
                        choices=[("check", "checked"), ("import", "imported")],
                        default="check",
                        max_length=10,
                    ),
                ),
                ("report", models.JSONField(blank=True, default=dict)),
                (
                    "campaign",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="hits.campaign",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Video",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("file", models.FileField(blank=True, max_length=300, upload_to="")),
                ("url", models.URLField(blank=True, max_length=2000)),
                ("poster", models.FileField(blank=True, max_length=300, upload_to="")),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("duration", models.FloatField(blank=True, help_text="Seconds.", null=True)),
                ("width", models.PositiveIntegerField(blank=True, null=True)),
                ("height", models.PositiveIntegerField(blank=True, null=True)),
                ("codec", models.CharField(blank=True, max_length=20)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="videos",
                        to="hits.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["campaign", "name"],
            },
        ),
        migrations.AddField(
            model_name="caption",
            name="video",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="captions",
                to="hits.video",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.UniqueConstraint(
                fields=("owner", "name"), name="campaign_name_per_owner"
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.UniqueConstraint(
                fields=("owner", "source_digest"), name="campaign_imported_once_per_owner"
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("assignments__gte", 1), ("minutes_allowed__gte", 1), ("redundancy__gte", 1)
                ),
                name="campaign_counts_positive",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(("reward__gte", 0)), name="campaign_reward_not_negative"
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(("assumed_pass_rate__gt", 0), ("assumed_pass_rate__lte", 1)),
                name="campaign_pass_rate_is_share",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "hit_size__gt",
                        django.db.models.expressions.CombinedExpression(
                            django.db.models.expressions.CombinedExpression(
                                models.Value(2), "*", models.F("pairs")
                            ),
                            "+",
                            models.F("repeats"),
                        ),
                    )
                ),
                name="campaign_hit_has_room_for_systems",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["draft", "live", "closed"])),
                name="campaign_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["waiting", "running", "done", "failed", "stopped"])
                ),
                name="batch_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status", "running"),
                    models.Q(("claimed_at", None), ("claimed_by", "")),
                    _connector="OR",
                ),
                name="batch_claimed_while_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.UniqueConstraint(
                fields=("campaign", "number"), name="batch_number_per_campaign"
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.UniqueConstraint(
                fields=("batch", "number"), name="hit_number_per_batch"
            ),
        ),
        migrations.AddConstraint(
            model_name="hititem",
            constraint=models.UniqueConstraint(
                fields=("hit", "position"), name="one_item_per_position"
            ),
        ),
        migrations.AddConstraint(
            model_name="hititem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind__in", ["system", "reference"]), ("original", None)),
                    models.Q(("kind__in", ["degraded", "repeat"]), ("original__isnull", False)),
                    _connector="OR",
                ),
                name="copies_have_an_original",
            ),
        ),
        migrations.AddConstraint(
            model_name="hititem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "degraded"), models.Q(("degraded_text", ""), _negated=True)),
                    models.Q(models.Q(("kind", "degraded"), _negated=True), ("degraded_text", "")),
                    _connector="OR",
                ),
                name="only_degraded_items_carry_text",
            ),
        ),
        migrations.AddConstraint(
            model_name="system",
            constraint=models.UniqueConstraint(
                fields=("campaign", "name"), name="system_name_per_campaign"
            ),
        ),
        migrations.AddConstraint(
            model_name="system",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_primary", True), models.Q(("team", ""), _negated=True)),
                fields=("campaign", "team"),
                name="one_primary_run_per_team",
            ),
        ),
        migrations.AddConstraint(
            model_name="system",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_control", True)),
                fields=("campaign",),
                name="one_control_per_campaign",
            ),
        ),
        migrations.AddConstraint(
            model_name="system",
            constraint=models.CheckConstraint(
                condition=models.Q(("is_control", False), ("role", "reference"), _connector="OR"),
                name="control_is_a_reference",
            ),
        ),
        migrations.AddConstraint(
            model_name="system",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["candidate", "human", "reference"])),
                name="system_role_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["waiting", "running", "done", "failed", "stopped"])
                ),
                name="upload_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status", "running"),
                    models.Q(("claimed_at", None), ("claimed_by", "")),
                    _connector="OR",
                ),
                name="upload_claimed_while_running",
            ),
        ),
        migrations.AddIndex(
            model_name="video",
            index=models.Index(
                condition=models.Q(("file", ""), _negated=True),
                fields=["file"],
                name="video_by_file",
            ),
        ),
        migrations.AddConstraint(
            model_name="video",
            constraint=models.UniqueConstraint(
                fields=("campaign", "name"), name="video_name_per_campaign"
            ),
        ),
        migrations.AddConstraint(
            model_name="video",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("file", ""), models.Q(("url", ""), _negated=True)),
                    models.Q(models.Q(("file", ""), _negated=True), ("url", "")),
                    _connector="OR",
                ),
                name="video_is_file_or_url",
            ),
        ),
        migrations.AddIndex(
            model_name="caption",
            index=models.Index(
                condition=models.Q(("retired_at", None)),
                fields=["system"],
                name="caption_current_by_system",
            ),
        ),
        migrations.AddConstraint(
            model_name="caption",
            constraint=models.UniqueConstraint(
                condition=models.Q(("retired_at", None)),
                fields=("video", "system"),
                name="one_caption_per_video_and_system",
            ),
        ),
        migrations.AddConstraint(
            model_name="caption",
            constraint=models.CheckConstraint(
                condition=models.Q(("text", ""), _negated=True), name="caption_not_empty"
            ),
        ),
    ]
