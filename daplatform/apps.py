from __future__ import annotations

from celery import signals
from django.apps import AppConfig


class PlatformConfig(AppConfig):
    name = "daplatform"

    def ready(self) -> None:
        """Web processes and workers log alike: Celery is told that this has been seen to."""
        from daplatform import checks, observability  # noqa: F401 - they register

        signals.setup_logging.connect(lambda **_: None, weak=False)
