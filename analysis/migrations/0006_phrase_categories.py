"""Which kind of error a marked phrase is, as people decide."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("analysis", "0005_descriptions"),
        ("hits", "0006_protocol"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("campaign", "phrase"), name="one_category_per_phrase"
                    )
                ],
            },
        ),
    ]
