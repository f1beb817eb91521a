import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0002_ratings_append_only"),
        ("hits", "0004_crowds"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Submission",
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
                    "progress",
                    models.CharField(
                        choices=[
                            ("working", "Working"),
                            ("submitted", "Submitted"),
                            ("approved", "Approved"),
                            ("rejected", "Rejected"),
                            ("returned", "Returned"),
                            ("timed_out", "Out of time"),
                            ("screened_out", "Screened out"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "problem",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "None"),
                            ("unknown", "Nobody came here with this submission"),
                            ("forged", "Came here under somebody else's name"),
                            ("misplaced", "Belongs to another HIT"),
                            ("unfinished", "Not everything was rated"),
                            ("late", "Handed in after the work was given to another"),
                        ],
                        max_length=10,
                    ),
                ),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "pay",
                    models.CharField(
                        blank=True,
                        choices=[("", "Not decided"), ("pay", "Pay"), ("refuse", "Do not pay")],
                        max_length=10,
                    ),
                ),
                (
                    "reason",
                    models.TextField(
                        blank=True, help_text="Why it is not paid; the person reads it."
                    ),
                ),
                ("use", models.BooleanField(blank=True, null=True)),
                ("invite_again", models.BooleanField(blank=True, null=True)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="annotations.annotator",
                    ),
                ),
                (
                    "assignment",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submission",
                        to="annotations.assignment",
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty where the campaign's rules decided.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "posting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="hits.posting",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("crowd", "external_id"), name="one_row_per_submission"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("pay", "refuse"), _negated=True),
                            models.Q(
                                models.Q(("reason", ""), _negated=True),
                                ("decided_by__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="refused_by_a_person_with_a_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("pay", ""), ("decided_at__isnull", False), _connector="OR"
                        ),
                        name="pay_decided_at_a_moment",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Verdict",
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
                            ("passed", "Passed"),
                            ("failed", "Failed"),
                            ("insufficient", "Too few pairs"),
                        ],
                        max_length=12,
                    ),
                ),
                ("p", models.FloatField(blank=True, null=True)),
                ("pairs", models.PositiveIntegerField()),
                ("checked_at", models.DateTimeField()),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="verdicts",
                        to="annotations.annotator",
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="verdicts",
                        to="hits.campaign",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("campaign", "annotator"), name="one_verdict_per_campaign_and_person"
                    )
                ],
            },
        ),
    ]
