"""Ratings and marks that were given never change: a change of mind is another row."""

from django.db import migrations

KINDS = ("rating", "mark")


def statements(kind, vendor):
    message = f"{kind}s are only ever added"
    trigger = f"CREATE TRIGGER {kind}_frozen BEFORE UPDATE ON annotations_{kind} FOR EACH ROW"
    if vendor == "sqlite":
        return [f"{trigger} BEGIN SELECT RAISE(ABORT, '{message}'); END"]
    return [
        f"CREATE FUNCTION {kind}_frozen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END $$",
        f"{trigger} EXECUTE FUNCTION {kind}_frozen()",
    ]


def reverse(kind, vendor):
    if vendor == "sqlite":
        return [f"DROP TRIGGER {kind}_frozen"]
    return [
        f"DROP TRIGGER {kind}_frozen ON annotations_{kind}",
        f"DROP FUNCTION {kind}_frozen()",
    ]


def add_triggers(apps, schema_editor):
    for kind in KINDS:
        for statement in statements(kind, schema_editor.connection.vendor):
            schema_editor.execute(statement)


def remove_triggers(apps, schema_editor):
    for kind in KINDS:
        for statement in reverse(kind, schema_editor.connection.vendor):
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("annotations", "0001_initial")]
    operations = [migrations.RunPython(add_triggers, remove_triggers)]
