import crowds.models.outbox
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("annotations", "0001_initial"),
        ("hits", "0001_initial"),
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
                        default=72,
                        help_text="Work is then paid automatically, if the rule says so.",
                    ),
                ),
                (
                    "pay_rule",
                    models.CharField(
                        choices=[
                            ("finished", "Everybody who finished"),
                            ("passed", "People who passed; you decide about the others"),
                            ("asked", "Nobody automatically; you decide"),
                        ],
                        default="finished",
                        max_length=10,
                    ),
                ),
                (
                    "use_rule",
                    models.CharField(
                        choices=[
                            ("passed", "People who passed quality control"),
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
                            ("passed", "People who passed quality control"),
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
            name="Publication",
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
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "Being published"),
                            ("open", "Open"),
                            ("expired", "Closed to new people"),
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
                        related_name="publications",
                        to="crowds.launch",
                    ),
                ),
            ],
            options={
                "ordering": ["launch", "pk"],
            },
        ),
        migrations.CreateModel(
            name="PublishedHit",
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
                        related_name="published",
                        to="hits.hit",
                    ),
                ),
                (
                    "publication",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="published_hits",
                        to="crowds.publication",
                    ),
                ),
            ],
            options={
                "ordering": ["publication", "hit"],
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
                        choices=[("publication", "Publication"), ("hit", "HIT")], max_length=20
                    ),
                ),
                ("external_id", models.CharField(max_length=200)),
                (
                    "publication",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="external_ids",
                        to="crowds.publication",
                    ),
                ),
                (
                    "published_hit",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="external_id",
                        to="crowds.publishedhit",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReviewAction",
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
                            ("approve", "Pay"),
                            ("reject", "Do not pay"),
                            ("bonus", "Pay a bonus"),
                            ("message", "Write a message"),
                            ("exclude", "Do not invite again"),
                            ("readmit", "Invite again"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "once",
                    models.CharField(
                        help_text="Chosen by the page: the same form sent twice is known by it.",
                        max_length=40,
                    ),
                ),
                ("people", models.PositiveIntegerField(default=0)),
                ("submissions", models.PositiveIntegerField(default=0)),
                (
                    "cost",
                    models.DecimalField(decimal_places=2, default=Decimal("0"), max_digits=12),
                ),
                (
                    "text",
                    models.TextField(blank=True, help_text="The reason or message people read."),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="review_actions",
                        to="hits.campaign",
                    ),
                ),
                (
                    "given_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Sending",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(
                        default=1, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("epoch", models.CharField(default=crowds.models.outbox.new_key, max_length=32)),
                ("claims", models.PositiveBigIntegerField(default=0)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="one_row_of_sending")
                ],
            },
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("crowd", models.CharField(max_length=20)),
                ("external_id", models.CharField(max_length=200)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("working", "Working"),
                            ("submitted", "Submitted"),
                            ("approved", "Approved"),
                            ("rejected", "Rejected"),
                            ("returned", "Returned"),
                            ("timed_out", "Out of time"),
                            ("screened_out", "Screened out"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "problem",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "None"),
                            ("unknown", "Nobody came here with this submission"),
                            ("forged", "Not under the name that the crowd gives"),
                            ("misplaced", "Belongs to another HIT"),
                            ("unfinished", "Not finished here"),
                            ("late", "Handed in after it was given up here"),
                            ("repeated", "Has a place in this HIT already"),
                        ],
                        max_length=10,
                    ),
                ),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "pay",
                    models.CharField(
                        blank=True,
                        choices=[("", "Not decided"), ("pay", "Pay"), ("refuse", "Do not pay")],
                        max_length=10,
                    ),
                ),
                (
                    "reason",
                    models.TextField(
                        blank=True, help_text="Why it is not paid; the person reads it."
                    ),
                ),
                ("use", models.BooleanField(blank=True, null=True)),
                ("invite_again", models.BooleanField(blank=True, null=True)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="annotations.annotator",
                    ),
                ),
                (
                    "assignment",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submission",
                        to="annotations.assignment",
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty where the campaign's rules decided.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "publication",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="crowds.publication",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="OutboxMessage",
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
                            ("expire", "Stop new people"),
                            ("reopen", "Open again"),
                            ("close", "Close"),
                            ("approve", "Pay"),
                            ("reject", "Do not pay"),
                            ("bonus", "Pay a bonus"),
                            ("message", "Write a message"),
                            ("enlist", "Put on a list"),
                            ("delist", "Take off a list"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "occasion",
                    models.CharField(
                        blank=True,
                        help_text="Which of several times the same is done.",
                        max_length=120,
                    ),
                ),
                ("payload", models.JSONField(default=dict)),
                (
                    "key",
                    models.CharField(
                        default=crowds.models.outbox.new_key,
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
                            ("claimed", "In progress"),
                            ("unclear", "Outcome unclear"),
                            ("asking", "Needs a decision"),
                            ("done", "Done"),
                            ("failed", "Refused"),
                            ("undone", "Taken back"),
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
                    "annotators",
                    models.ManyToManyField(
                        blank=True, related_name="messages", to="annotations.annotator"
                    ),
                ),
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
                        related_name="messages",
                        to="hits.campaign",
                    ),
                ),
                (
                    "publication",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="messages",
                        to="crowds.publication",
                    ),
                ),
                (
                    "action",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="messages",
                        to="crowds.reviewaction",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="messages",
                        to="crowds.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
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
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("offer", "Offered"),
                            ("more", "Offered to more people"),
                            ("extra", "More people than were asked for"),
                            ("rest", "No longer needed"),
                            ("work", "Work"),
                            ("unasked", "Paid automatically by the crowd"),
                            ("overruled", "Not paid at first"),
                            ("bonus", "Bonus"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "occasion",
                    models.CharField(
                        blank=True,
                        help_text="Which of several times, where there may be more.",
                        max_length=40,
                    ),
                ),
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
                    "publication",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ledger",
                        to="crowds.publication",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ledger",
                        to="crowds.submission",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "ledger entries",
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Verdict",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("passed", "Passed"),
                            ("failed", "Failed"),
                            ("insufficient", "Too few pairs"),
                        ],
                        max_length=12,
                    ),
                ),
                ("p", models.FloatField(blank=True, null=True)),
                ("pairs", models.PositiveIntegerField()),
                ("checked_at", models.DateTimeField()),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="verdicts",
                        to="annotations.annotator",
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="verdicts",
                        to="hits.campaign",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Arrival",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("crowd", models.CharField(max_length=20)),
                (
                    "external_id",
                    models.CharField(
                        blank=True,
                        help_text="What the crowd calls this assignment.",
                        max_length=200,
                    ),
                ),
                ("return_to", models.URLField(blank=True, max_length=2000)),
                (
                    "origin",
                    models.CharField(
                        blank=True,
                        help_text="A keyed digest of the visitor's network, for an hour: it limits claims.",
                        max_length=16,
                    ),
                ),
                (
                    "assignment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="arrival",
                        to="annotations.assignment",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("origin", ""), _negated=True),
                        fields=["origin"],
                        name="arrival_by_origin",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("external_id", ""), _negated=True),
                        fields=("crowd", "external_id"),
                        name="one_assignment_per_arrival",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Exclusion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exclusions",
                        to="annotations.annotator",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exclusions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("owner", "annotator"), name="one_exclusion_per_owner_and_person"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="GroupLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("people", models.PositiveSmallIntegerField(help_text="How many people may join.")),
                ("version", models.PositiveIntegerField(default=1)),
                ("is_open", models.BooleanField(default=True)),
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="group_link",
                        to="hits.campaign",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("people__gte", 1), ("people__lte", 1000)),
                        name="group_link_for_1_to_1000_people",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "joined",
                    models.BooleanField(
                        default=False, help_text="Came by the campaign's group link."
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="annotations.annotator",
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="hits.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["campaign", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("campaign", "annotator"),
                        name="one_invitation_per_campaign_and_person",
                    )
                ],
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
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(("fee__gte", 0), ("unit_reward__gte", 0)),
                name="publication_price_not_negative",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["waiting", "open", "expired", "closed"])),
                name="publication_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="publishedhit",
            constraint=models.UniqueConstraint(
                fields=("publication", "hit"), name="one_row_per_published_hit"
            ),
        ),
        migrations.AddConstraint(
            model_name="publishedhit",
            constraint=models.CheckConstraint(
                condition=models.Q(("people__gte", 1)), name="published_for_somebody"
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
                fields=("publication",),
                name="one_external_id_per_publication",
            ),
        ),
        migrations.AddConstraint(
            model_name="externalid",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "publication"), ("published_hit", None)),
                    models.Q(("kind", "hit"), ("published_hit__isnull", False)),
                    _connector="OR",
                ),
                name="external_id_of_its_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="reviewaction",
            constraint=models.UniqueConstraint(
                fields=("campaign", "once"), name="one_review_action_per_form"
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(
                fields=("crowd", "external_id"), name="one_row_per_submission"
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("pay", "refuse"), _negated=True),
                    models.Q(
                        models.Q(("reason", ""), _negated=True), ("decided_by__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="refused_by_a_person_with_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(("pay", ""), ("decided_at__isnull", False), _connector="OR"),
                name="pay_decided_at_a_moment",
            ),
        ),
        migrations.AddIndex(
            model_name="outboxmessage",
            index=models.Index(
                condition=models.Q(
                    ("state__in", ["done", "failed", "asking", "undone"]), _negated=True
                ),
                fields=["next_try_at"],
                name="outbox_due",
            ),
        ),
        migrations.AddIndex(
            model_name="outboxmessage",
            index=models.Index(fields=["publication", "state"], name="outbox_of_publication"),
        ),
        migrations.AddConstraint(
            model_name="outboxmessage",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    models.Q(("state", "undone"), _negated=True), ("submission__isnull", False)
                ),
                fields=("kind", "submission", "occasion"),
                name="one_message_per_submission",
            ),
        ),
        migrations.AddConstraint(
            model_name="outboxmessage",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    models.Q(("state", "undone"), _negated=True),
                    ("publication__isnull", False),
                    ("submission", None),
                ),
                fields=("kind", "publication", "occasion"),
                name="one_message_per_publication",
            ),
        ),
        migrations.AddConstraint(
            model_name="outboxmessage",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    models.Q(("state", "undone"), _negated=True),
                    ("publication", None),
                    ("submission", None),
                ),
                fields=("crowd", "kind", "occasion"),
                name="one_message_per_crowd",
            ),
        ),
        migrations.AddConstraint(
            model_name="outboxmessage",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("claimed_at__isnull", False), ("state", "claimed")),
                    models.Q(models.Q(("state", "claimed"), _negated=True), ("claimed_at", None)),
                    _connector="OR",
                ),
                name="message_claimed_at_a_moment",
            ),
        ),
        migrations.AddConstraint(
            model_name="outboxmessage",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("ended_at__isnull", False), ("state__in", ["done", "failed", "undone"])
                    ),
                    models.Q(
                        models.Q(("state__in", ["done", "failed", "undone"]), _negated=True),
                        ("ended_at", None),
                    ),
                    _connector="OR",
                ),
                name="message_ended_at_a_moment",
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("submission__isnull", False)),
                fields=("kind", "submission", "reason", "occasion"),
                name="one_entry_per_submission",
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("publication__isnull", False), ("submission", None)),
                fields=("kind", "publication", "reason", "occasion"),
                name="one_entry_per_publication",
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
            model_name="verdict",
            constraint=models.UniqueConstraint(
                fields=("campaign", "annotator"), name="one_verdict_per_campaign_and_person"
            ),
        ),
    ]
