"""Results and evaluations say alike what they were made of."""

from django.db import migrations, models
from django.db.migrations.state import StateApps


def evaluations_forget(apps: StateApps, schema_editor: object) -> None:
    """A cache: each is made when it is next asked for, once for a set of choices."""
    apps.get_model("analysis", "MetricEvaluation").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("analysis", "0002_metric_permissions")]

    operations = [
        migrations.RunPython(evaluations_forget, migrations.RunPython.noop),
        migrations.RemoveConstraint("metricevaluation", "one_evaluation_per_evidence"),
        migrations.AddConstraint(
            "metricevaluation",
            models.UniqueConstraint(
                fields=["campaign", "choices_key", "last_rating"], name="one_evaluation_per_cutoff"
            ),
        ),
        migrations.RenameField("result", "decisions", "evidence"),
        *(
            migrations.AlterField(
                model,
                "evidence",
                models.CharField(
                    blank=True, help_text="Fingerprint of all else it was made of.", max_length=16
                ),
            )
            for model in ("result", "metricevaluation")
        ),
    ]
