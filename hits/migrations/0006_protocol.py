from importlib import import_module

from django.db import migrations, models

frozen = import_module("hits.migrations.0003_freeze_live_rows")


class Migration(migrations.Migration):
    dependencies = [("hits", "0005_renditions")]

    # SQLite lays the campaigns' table anew, which the triggers look at: they step aside meanwhile.
    operations = [
        migrations.RunPython(frozen.remove_triggers, frozen.add_triggers),
        migrations.AddField(
            model_name="campaign",
            name="protocol",
            field=models.CharField(
                max_length=30,
                default="direct",
                help_text="What a page asks. Another protocol changes the sizes in the plan.",
            ),
        ),
        migrations.RunPython(frozen.add_triggers, frozen.remove_triggers),
    ]
