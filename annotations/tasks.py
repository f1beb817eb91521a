"""What happens by itself: overdue work is given back."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from annotations.services.assignments import assignments_expire


@shared_task
def assignments_expire_task() -> None:
    assignments_expire(now=timezone.now())
