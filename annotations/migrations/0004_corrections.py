"""Videos that are sent back to be corrected. Marks, like ratings, never change."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

MESSAGE = "marks are only ever added"
TRIGGER = "CREATE TRIGGER mark_frozen BEFORE UPDATE ON annotations_mark FOR EACH ROW"
STATEMENTS = {
    "postgresql": [
        "CREATE FUNCTION mark_frozen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"RAISE EXCEPTION '{MESSAGE}' USING ERRCODE = 'integrity_constraint_violation'; END $$",
        f"{TRIGGER} EXECUTE FUNCTION mark_frozen()",
    ],
    "sqlite": [f"{TRIGGER} BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"],
}
REVERSE = {
    "postgresql": ["DROP TRIGGER mark_frozen ON annotations_mark", "DROP FUNCTION mark_frozen()"],
    "sqlite": ["DROP TRIGGER mark_frozen"],
}


def add_trigger(apps, schema_editor):
    for statement in STATEMENTS[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def remove_trigger(apps, schema_editor):
    for statement in REVERSE[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0003_answers"),
        ("hits", "0006_protocol"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.RunPython(add_trigger, remove_trigger),
        migrations.CreateModel(
            name="Correction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("remark", models.CharField(max_length=500)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("done_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corrections",
                        to="annotations.assignment",
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
                (
                    "video",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="corrections",
                        to="hits.video",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("done_at", None)),
                        fields=("assignment", "video"),
                        name="one_open_correction_per_video",
                    )
                ],
            },
        ),
    ]
