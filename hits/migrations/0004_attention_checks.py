"""HITs may hold attention checks. SQLite makes the table anew, and triggers are lost with it."""

from importlib import import_module

from django.db import migrations, models

triggers = import_module("hits.migrations.0003_freeze_live_rows")


class Migration(migrations.Migration):
    dependencies = [
        ("hits", "0003_freeze_live_rows"),
    ]

    operations = [
        migrations.RunPython(triggers.remove_triggers, triggers.add_triggers),
        migrations.RemoveConstraint(
            model_name="hititem",
            name="copies_have_an_original",
        ),
        migrations.RemoveConstraint(
            model_name="hititem",
            name="only_degraded_items_carry_text",
        ),
        migrations.AlterField(
            model_name="hititem",
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
            model_name="hititem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("kind__in", ["system", "reference", "attention"]), ("original", None)
                    ),
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
                    models.Q(
                        ("kind__in", ["degraded", "attention"]),
                        models.Q(("degraded_text", ""), _negated=True),
                    ),
                    models.Q(
                        models.Q(("kind__in", ["degraded", "attention"]), _negated=True),
                        ("degraded_text", ""),
                    ),
                    _connector="OR",
                ),
                name="only_degraded_items_carry_text",
            ),
        ),
        migrations.RunPython(triggers.add_triggers, triggers.remove_triggers),
    ]
