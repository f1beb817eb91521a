"""Marks that people find filled in. In a live campaign they change as little as its texts."""

from importlib import import_module

from django.db import migrations, models

frozen = import_module("hits.migrations.0003_freeze_live_rows")
TRIGGER = ("caption_filled_frozen", "UPDATE OF filled", "hits_caption", frozen.LIVE_CAPTION)


def add_trigger(apps, schema_editor):
    build = {"postgresql": frozen.postgresql, "sqlite": frozen.sqlite}
    for statement in build[schema_editor.connection.vendor](*TRIGGER):
        schema_editor.execute(statement)


def remove_trigger(apps, schema_editor):
    name, _, table, _ = TRIGGER
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
        schema_editor.execute(f"DROP FUNCTION {name}()")
    else:
        schema_editor.execute(f"DROP TRIGGER {name}")


class Migration(migrations.Migration):
    dependencies = [("hits", "0004_attention_checks")]
    operations = [
        migrations.AddField(
            model_name="caption",
            name="filled",
            field=models.JSONField(
                blank=True,
                editable=False,
                help_text="Marks that people find in it: first character, the one after the last, "
                "label. Empty where it was not looked at.",
                null=True,
            ),
        ),
        migrations.RunPython(add_trigger, remove_trigger),
    ]
