"""Answers that are more than numbers, and the ones a person took out of a result."""

from importlib import import_module

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

frozen = import_module("annotations.migrations.0002_ratings_append_only")


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0002_ratings_append_only"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    # SQLite lays the table anew, and its trigger would be lost.
    operations = [
        migrations.RunPython(frozen.remove_trigger, frozen.add_trigger),
        migrations.RemoveConstraint(model_name="rating", name="score_0_to_100"),
        migrations.AddField(
            model_name="rating", name="answers", field=models.JSONField(blank=True, null=True)
        ),
        migrations.AlterField(
            model_name="rating",
            name="score",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
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
        migrations.RunPython(frozen.add_trigger, frozen.remove_trigger),
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
                ("label", models.CharField(max_length=30)),
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rating", "question", "start"), name="one_mark_per_place"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("start__lt", models.F("end"))),
                        name="mark_holds_characters",
                    ),
                ],
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
                (
                    "rating",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="removal",
                        to="annotations.rating",
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
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={"ordering": ["pk"]},
        ),
    ]
