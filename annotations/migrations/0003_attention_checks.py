"""HITs may hold attention checks. SQLite makes the table anew, and triggers are lost with it."""

from importlib import import_module

from django.db import migrations, models

triggers = import_module("annotations.migrations.0002_append_only")


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0002_append_only"),
        ("hits", "0004_attention_checks"),
    ]

    operations = [
        migrations.RunPython(triggers.remove_triggers, triggers.add_triggers),
        migrations.RemoveConstraint(
            model_name="rating",
            name="rated_copies_have_an_original",
        ),
        migrations.AlterField(
            model_name="rating",
            name="kind",
            field=models.CharField(
                choices=[
                    ("system", "System"),
                    ("reference", "Reference"),
                    ("degraded", "Degraded"),
                    ("repeat", "Repeat"),
                    ("attention", "Attention check"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            model_name="rating",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("kind__in", ["system", "reference", "attention"]), ("original", None)
                    ),
                    models.Q(("kind__in", ["degraded", "repeat"]), ("original__isnull", False)),
                    _connector="OR",
                ),
                name="rated_copies_have_an_original",
            ),
        ),
        migrations.RunPython(triggers.add_triggers, triggers.remove_triggers),
    ]
