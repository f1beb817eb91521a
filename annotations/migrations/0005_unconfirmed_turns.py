"""Turns that no marketplace has named hold no place. Those there are give theirs back."""

from django.db import migrations, models
from django.db.models import Max, Q

NAMES = ["returned", "expired"]


def strangers_lose_their_slot(apps, schema_editor):
    Assignment = apps.get_model("annotations", "Assignment")
    strange = Assignment.objects.filter(
        hit__batch__launch__isnull=False, submission=None, annotator__isnull=False
    ).exclude(hit__batch__launch__crowd="invite")
    for turn in strange:
        slot = turn.slot
        Assignment.objects.filter(pk=turn.pk).update(slot=None)
        if turn.state not in NAMES:
            Assignment.objects.create(
                campaign_id=turn.campaign_id, hit_id=turn.hit_id, slot=slot, state="open"
            )


def strangers_get_a_slot(apps, schema_editor):
    Assignment = apps.get_model("annotations", "Assignment")
    for turn in Assignment.objects.filter(slot=None).order_by("pk"):
        same = Assignment.objects.filter(hit=turn.hit_id)
        last = same.aggregate(last=Max("slot"))["last"] or 0
        Assignment.objects.filter(pk=turn.pk).update(slot=last + 1)


class Migration(migrations.Migration):
    dependencies = [("annotations", "0004_exclusions"), ("hits", "0006_orders")]

    operations = [
        migrations.RemoveConstraint("assignment", "one_turn_per_person_and_hit"),
        migrations.AddField(
            model_name="arrival",
            name="origin",
            field=models.CharField(
                blank=True,
                default="",
                help_text="A keyed digest of the visitor's network, for an hour: it limits claims.",
                max_length=16,
            ),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="assignment",
            name="slot",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Which of the HIT's assignments; none while it is unconfirmed.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="problem",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "None"),
                    ("unknown", "Nobody came here with this submission"),
                    ("forged", "Came here under somebody else's name"),
                    ("misplaced", "Belongs to another HIT"),
                    ("unfinished", "Not everything was rated"),
                    ("late", "Handed in after the work was given to another"),
                    ("repeated", "Rated this HIT before"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddIndex(
            "arrival",
            models.Index(fields=["origin"], condition=~Q(origin=""), name="arrival_by_origin"),
        ),
        migrations.AddIndex(
            "assignment",
            models.Index(
                fields=["campaign", "hit"], condition=Q(slot=None), name="assignment_unconfirmed"
            ),
        ),
        migrations.AddConstraint(
            "assignment",
            models.UniqueConstraint(
                fields=["hit", "annotator"],
                condition=Q(slot__isnull=False),
                name="one_turn_per_person_and_hit",
            ),
        ),
        migrations.AddConstraint(
            "assignment",
            models.CheckConstraint(
                condition=~Q(state="open") | Q(slot__isnull=False), name="open_assignment_is_a_slot"
            ),
        ),
        # Last: PostgreSQL alters no table whose rows were changed in the same transaction.
        migrations.RunPython(strangers_lose_their_slot, strangers_get_a_slot),
    ]
