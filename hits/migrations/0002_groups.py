"""The two kinds of people who have accounts, and what each may do."""

from django.db import migrations

ORGANISER = [
    "add_campaign",
    "change_campaign",
    "view_campaign",
    "add_batch",
    "view_batch",
    "add_upload",
    "view_upload",
    "view_video",
    "view_system",
    "view_caption",
    "view_hit",
    "view_hititem",
]
ANALYST = [
    "view_campaign",
    "view_batch",
    "view_video",
    "view_system",
    "view_caption",
    "view_hit",
    "view_hititem",
]


def add_groups(apps, schema_editor):
    # Permissions are normally made after all migrations; groups need them now.
    from django.apps import apps as installed
    from django.contrib.auth.management import create_permissions

    create_permissions(
        installed.get_app_config("hits"), verbosity=0, using=schema_editor.connection.alias
    )
    group_model = apps.get_model("auth", "Group")
    permission_model = apps.get_model("auth", "Permission")
    for name, codenames in (("organisers", ORGANISER), ("analysts", ANALYST)):
        group, _ = group_model.objects.get_or_create(name=name)
        group.permissions.set(
            permission_model.objects.filter(content_type__app_label="hits", codename__in=codenames)
        )


def remove_groups(apps, schema_editor):
    apps.get_model("auth", "Group").objects.filter(name__in=["organisers", "analysts"]).delete()


class Migration(migrations.Migration):
    dependencies = [("hits", "0001_initial"), ("auth", "0012_alter_user_first_name_max_length")]
    operations = [migrations.RunPython(add_groups, remove_groups)]
