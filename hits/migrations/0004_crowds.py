from decimal import Decimal

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import hits.models.outbox


class Migration(migrations.Migration):
    dependencies = [
        ("hits", "0003_freeze_live_rows"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("action", models.CharField(max_length=40)),
                ("detail", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="trail",
                        to="hits.campaign",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty where the platform acted by itself.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "audit entries",
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Launch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("crowd", models.CharField(max_length=20)),
                (
                    "state",
                    models.CharField(
                        choices=[("live", "Live"), ("paused", "Paused"), ("closed", "Closed")],
                        default="live",
                        max_length=10,
                    ),
                ),
                ("title", models.CharField(max_length=120)),
                ("description", models.TextField(max_length=2000)),
                (
                    "keywords",
                    models.CharField(blank=True, help_text="Separated by commas.", max_length=200),
                ),
                (
                    "reward",
                    models.DecimalField(
                        decimal_places=2,
                        max_digits=7,
                        validators=[django.core.validators.MinValueValidator(Decimal("0"))],
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                (
                    "people",
                    models.PositiveSmallIntegerField(
                        help_text="Usable ratings wanted of each HIT."
                    ),
                ),
                ("minutes_expected", models.PositiveSmallIntegerField()),
                ("lifetime_days", models.PositiveSmallIntegerField(default=7)),
                ("approval_rate", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("approved", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "countries",
                    models.CharField(blank=True, help_text="Two letters each.", max_length=200),
                ),
                (
                    "only_again",
                    models.BooleanField(
                        default=False,
                        help_text="Only people of earlier campaigns who are to be invited again.",
                    ),
                ),
                (
                    "tops_up",
                    models.BooleanField(
                        default=True, help_text="Offer HITs again whose ratings had to be left out."
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("synced_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("differences", models.JSONField(blank=True, default=list, editable=False)),
                ("reconciled_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "batch",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="launch",
                        to="hits.batch",
                    ),
                ),
                (
                    "launched_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "launches",
                "ordering": ["-created_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("crowd", models.CharField(max_length=20)),
                ("external_id", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("crowd", "external_id"), name="one_row_per_notice"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Policy",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "budget",
                    models.DecimalField(
                        decimal_places=2,
                        default=Decimal("0"),
                        help_text="The most that may be spent, fees included.",
                        max_digits=12,
                        validators=[django.core.validators.MinValueValidator(Decimal("0"))],
                    ),
                ),
                (
                    "approve_after_hours",
                    models.PositiveSmallIntegerField(
                        default=72, help_text="Work to be paid is approved by itself after so long."
                    ),
                ),
                (
                    "pay_rule",
                    models.CharField(
                        choices=[
                            ("finished", "Everybody who finished"),
                            ("passed", "Those who passed; a person decides about the others"),
                            ("asked", "Only when a person says so"),
                        ],
                        default="finished",
                        max_length=10,
                    ),
                ),
                (
                    "use_rule",
                    models.CharField(
                        choices=[
                            ("passed", "Those who passed quality control"),
                            ("everyone", "Everybody who finished"),
                        ],
                        default="passed",
                        max_length=10,
                    ),
                ),
                (
                    "invite_rule",
                    models.CharField(
                        choices=[
                            ("passed", "Those who passed quality control"),
                            ("everyone", "Everybody who finished"),
                            ("nobody", "Nobody"),
                        ],
                        default="passed",
                        max_length=10,
                    ),
                ),
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="policy",
                        to="hits.campaign",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "policies",
            },
        ),
        migrations.CreateModel(
            name="Posting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reference",
                    models.CharField(
                        help_text="Our name for it there.", max_length=60, unique=True
                    ),
                ),
                (
                    "standing",
                    models.CharField(
                        choices=[
                            ("waiting", "Being published"),
                            ("open", "Open"),
                            ("expired", "Takes nobody new"),
                            ("closed", "Closed"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("unit_reward", models.DecimalField(decimal_places=2, max_digits=9)),
                (
                    "fee",
                    models.DecimalField(
                        decimal_places=2,
                        help_text="For all people it was priced for.",
                        max_digits=12,
                    ),
                ),
                ("priced_people", models.PositiveIntegerField()),
                ("address", models.URLField(blank=True, max_length=2000)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "launch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="postings",
                        to="hits.launch",
                    ),
                ),
            ],
            options={
                "ordering": ["launch", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Place",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("people", models.PositiveSmallIntegerField()),
                ("url", models.URLField(max_length=2000)),
                (
                    "hit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="places",
                        to="hits.hit",
                    ),
                ),
                (
                    "posting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="places",
                        to="hits.posting",
                    ),
                ),
            ],
            options={
                "ordering": ["posting", "hit"],
            },
        ),
        migrations.CreateModel(
            name="LedgerEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("committed", "Committed"),
                            ("released", "Released"),
                            ("paid", "Rewards paid"),
                            ("fee", "Fees paid"),
                            ("bonus", "Bonuses paid"),
                        ],
                        max_length=10,
                    ),
                ),
                ("amount", models.DecimalField(decimal_places=2, max_digits=12)),
                ("subject", models.CharField(help_text="What it was for.", max_length=120)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ledger",
                        to="hits.campaign",
                    ),
                ),
                (
                    "posting",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ledger",
                        to="hits.posting",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "ledger entries",
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="ExternalId",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("crowd", models.CharField(max_length=20)),
                (
                    "kind",
                    models.CharField(
                        choices=[("publication", "Publication"), ("place", "Place")], max_length=20
                    ),
                ),
                ("external_id", models.CharField(max_length=200)),
                (
                    "place",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="external_id",
                        to="hits.place",
                    ),
                ),
                (
                    "posting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="external_ids",
                        to="hits.posting",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Act",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("crowd", models.CharField(max_length=20)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("publish", "Publish"),
                            ("extend", "Offer to more people"),
                            ("expire", "Take nobody new"),
                            ("reopen", "Open again"),
                            ("close", "Close"),
                            ("approve", "Approve"),
                            ("reject", "Reject"),
                            ("bonus", "Pay a bonus"),
                            ("message", "Write a message"),
                            ("enlist", "Put on a list"),
                            ("delist", "Take off a list"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "subject",
                    models.CharField(
                        help_text="To whom or what it is done, and which time.", max_length=120
                    ),
                ),
                ("payload", models.JSONField(default=dict)),
                (
                    "key",
                    models.CharField(
                        default=hits.models.outbox.new_key,
                        editable=False,
                        max_length=64,
                        unique=True,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("claimed", "Under way"),
                            ("unclear", "Outcome unclear"),
                            ("asking", "Waits for a person"),
                            ("done", "Done"),
                            ("failed", "Refused"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("next_try_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("claimed_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="acts",
                        to="hits.campaign",
                    ),
                ),
                (
                    "posting",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="acts",
                        to="hits.posting",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddConstraint(
            model_name="launch",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("lifetime_days__gte", 1), ("people__gte", 1), ("reward__gte", 0)
                ),
                name="launch_counts_positive",
            ),
        ),
        migrations.AddConstraint(
            model_name="launch",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["live", "paused", "closed"])),
                name="launch_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.CheckConstraint(
                condition=models.Q(("budget__gte", 0)), name="budget_not_negative"
            ),
        ),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("invite_rule__in", ["passed", "everyone", "nobody"]),
                    ("pay_rule__in", ["finished", "passed", "asked"]),
                    ("use_rule__in", ["passed", "everyone"]),
                ),
                name="policy_rules_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="posting",
            constraint=models.CheckConstraint(
                condition=models.Q(("fee__gte", 0), ("unit_reward__gte", 0)),
                name="posting_price_not_negative",
            ),
        ),
        migrations.AddConstraint(
            model_name="posting",
            constraint=models.CheckConstraint(
                condition=models.Q(("standing__in", ["waiting", "open", "expired", "closed"])),
                name="posting_standing_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="place",
            constraint=models.UniqueConstraint(fields=("posting", "hit"), name="one_place_per_hit"),
        ),
        migrations.AddConstraint(
            model_name="place",
            constraint=models.CheckConstraint(
                condition=models.Q(("people__gte", 1)), name="place_for_somebody"
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.UniqueConstraint(
                fields=("campaign", "kind", "subject"), name="one_entry_per_movement"
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount__gt", 0)), name="ledger_amount_positive"
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["committed", "released", "paid", "fee", "bonus"])),
                name="ledger_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="externalid",
            constraint=models.UniqueConstraint(
                fields=("crowd", "kind", "external_id"), name="one_row_per_external_id"
            ),
        ),
        migrations.AddConstraint(
            model_name="externalid",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "publication")),
                fields=("posting",),
                name="one_publication_per_posting",
            ),
        ),
        migrations.AddConstraint(
            model_name="externalid",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "publication"), ("place", None)),
                    models.Q(("kind", "place"), ("place__isnull", False)),
                    _connector="OR",
                ),
                name="external_id_of_its_kind",
            ),
        ),
        migrations.AddIndex(
            model_name="act",
            index=models.Index(
                condition=models.Q(("state__in", ["done", "failed", "asking"]), _negated=True),
                fields=["next_try_at"],
                name="act_due",
            ),
        ),
        migrations.AddIndex(
            model_name="act",
            index=models.Index(fields=["posting", "state"], name="act_of_posting"),
        ),
        migrations.AddConstraint(
            model_name="act",
            constraint=models.UniqueConstraint(
                fields=("crowd", "kind", "subject"), name="one_act_per_wish"
            ),
        ),
        migrations.AddConstraint(
            model_name="act",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("claimed_at__isnull", False), ("state", "claimed")),
                    models.Q(models.Q(("state", "claimed"), _negated=True), ("claimed_at", None)),
                    _connector="OR",
                ),
                name="act_claimed_at_a_moment",
            ),
        ),
        migrations.AddConstraint(
            model_name="act",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended_at__isnull", False), ("state__in", ["done", "failed"])),
                    models.Q(
                        models.Q(("state__in", ["done", "failed"]), _negated=True),
                        ("ended_at", None),
                    ),
                    _connector="OR",
                ),
                name="act_ended_at_a_moment",
            ),
        ),
    ]
