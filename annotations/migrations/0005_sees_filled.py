"""Who finds marks filled in, and who does not."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0004_tutorial_pass")]
    operations = [
        migrations.AddField(
            model_name="assignment",
            name="sees_filled",
            field=models.BooleanField(
                editable=False,
                help_text="Whether its annotator finds marks filled in; unknown where there are "
                "none.",
                null=True,
            ),
        ),
    ]
