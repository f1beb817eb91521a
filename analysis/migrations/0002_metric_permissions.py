"""Organisers and analysts may have metrics computed."""

from django.db import migrations

GROUPS = ["organisers", "analysts"]
CODENAMES = ["add_metricrun", "view_metricrun"]


def grant(apps, schema_editor):
    # Permissions are normally made after all migrations; groups need them now.
    from django.apps import apps as installed
    from django.contrib.auth.management import create_permissions

    create_permissions(
        installed.get_app_config("analysis"), verbosity=0, using=schema_editor.connection.alias
    )
    for group in apps.get_model("auth", "Group").objects.filter(name__in=GROUPS):
        group.permissions.add(*permissions(apps))


def withdraw(apps, schema_editor):
    for group in apps.get_model("auth", "Group").objects.filter(name__in=GROUPS):
        group.permissions.remove(*permissions(apps))


def permissions(apps):
    known = apps.get_model("auth", "Permission").objects
    return known.filter(content_type__app_label="analysis", codename__in=CODENAMES)


class Migration(migrations.Migration):
    dependencies = [("analysis", "0001_initial"), ("hits", "0002_groups")]
    operations = [migrations.RunPython(grant, withdraw)]
