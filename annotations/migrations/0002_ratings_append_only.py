"""A rating that was given never changes: a change of mind is another row."""

from django.db import migrations

MESSAGE = "ratings are only ever added"
STATEMENTS = {
    "postgresql": [
        "CREATE FUNCTION rating_frozen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"RAISE EXCEPTION '{MESSAGE}' USING ERRCODE = 'integrity_constraint_violation'; END $$",
        "CREATE TRIGGER rating_frozen BEFORE UPDATE ON annotations_rating "
        "FOR EACH ROW EXECUTE FUNCTION rating_frozen()",
    ],
    "sqlite": [
        "CREATE TRIGGER rating_frozen BEFORE UPDATE ON annotations_rating "
        f"FOR EACH ROW BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
    ],
}
REVERSE = {
    "postgresql": [
        "DROP TRIGGER rating_frozen ON annotations_rating",
        "DROP FUNCTION rating_frozen()",
    ],
    "sqlite": ["DROP TRIGGER rating_frozen"],
}


def add_trigger(apps, schema_editor):
    for statement in STATEMENTS[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def remove_trigger(apps, schema_editor):
    for statement in REVERSE[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("annotations", "0001_initial")]
    operations = [migrations.RunPython(add_trigger, remove_trigger)]
