"""The Celery application: `celery -A daplatform worker -Q default,crowd,gpu`."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "daplatform.settings")
app = Celery("daplatform", task_cls="daplatform.task_base:TaskBase")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["daplatform.jobs"])
