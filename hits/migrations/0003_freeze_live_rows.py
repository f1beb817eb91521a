"""A live campaign's texts and HITs cannot be edited or deleted, whoever asks."""

from django.db import migrations

LIVE_CAPTION = """
    SELECT 1 FROM hits_video v JOIN hits_campaign c ON c.id = v.campaign_id
    WHERE v.id = OLD.video_id AND c.state <> 'draft'
"""
LIVE_ITEM = """
    SELECT 1 FROM hits_hit h JOIN hits_batch b ON b.id = h.batch_id
    JOIN hits_campaign c ON c.id = b.campaign_id
    WHERE h.id = OLD.hit_id AND c.state <> 'draft'
"""
LIVE_HIT = """
    SELECT 1 FROM hits_batch b JOIN hits_campaign c ON c.id = b.campaign_id
    WHERE b.id = OLD.batch_id AND c.state <> 'draft'
"""
# Retiring a caption is how it is corrected, so only that column of it may change.
TRIGGERS = [
    ("caption_text_frozen", "UPDATE OF text, video_id, system_id", "hits_caption", LIVE_CAPTION),
    ("caption_kept", "DELETE", "hits_caption", LIVE_CAPTION),
    ("item_frozen", "UPDATE", "hits_hititem", LIVE_ITEM),
    ("item_kept", "DELETE", "hits_hititem", LIVE_ITEM),
    ("hit_frozen", "UPDATE", "hits_hit", LIVE_HIT),
    ("hit_kept", "DELETE", "hits_hit", LIVE_HIT),
]
MESSAGE = "a live campaign''s captions and HITs cannot change"


def postgresql(name, event, table, condition):
    outcome = "OLD" if event == "DELETE" else "NEW"
    return [
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF EXISTS ({condition}) THEN RAISE EXCEPTION '{MESSAGE}' "
        f"USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN {outcome}; END $$",
        f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]


def sqlite(name, event, table, condition):
    return [
        f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW WHEN EXISTS ({condition}) "
        f"BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
    ]


def add_triggers(apps, schema_editor):
    build = {"postgresql": postgresql, "sqlite": sqlite}[schema_editor.connection.vendor]
    for trigger in TRIGGERS:
        for statement in build(*trigger):
            schema_editor.execute(statement)


def remove_triggers(apps, schema_editor):
    for name, _, table, _ in TRIGGERS:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION {name}()")
        else:
            schema_editor.execute(f"DROP TRIGGER {name}")


class Migration(migrations.Migration):
    dependencies = [("hits", "0002_groups")]
    operations = [migrations.RunPython(add_triggers, remove_triggers)]
