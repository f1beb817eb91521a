"""What was booked or decided never changes: a correction is another row."""

from django.db import migrations

TABLES = {"ledger_frozen": "crowds_ledgerentry", "trail_frozen": "crowds_auditentry"}
MESSAGE = "the ledger and the audit trail are only ever added to"


def postgresql(name, table):
    return [
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"RAISE EXCEPTION '{MESSAGE}' USING ERRCODE = 'integrity_constraint_violation'; END $$",
        f"CREATE TRIGGER {name} BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]


def sqlite(name, table):
    return [
        f"CREATE TRIGGER {name} BEFORE UPDATE ON {table} "
        f"FOR EACH ROW BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
    ]


def add_triggers(apps, schema_editor):
    build = {"postgresql": postgresql, "sqlite": sqlite}[schema_editor.connection.vendor]
    for name, table in TABLES.items():
        for statement in build(name, table):
            schema_editor.execute(statement)


def remove_triggers(apps, schema_editor):
    for name, table in TABLES.items():
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION {name}()")
        else:
            schema_editor.execute(f"DROP TRIGGER {name}")


class Migration(migrations.Migration):
    dependencies = [("crowds", "0001_initial")]
    operations = [migrations.RunPython(add_triggers, remove_triggers)]
