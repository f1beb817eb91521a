from __future__ import annotations

from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self) -> None:
        """Trained metrics that the operator names are known by their names from the start."""
        for folder in settings.METRIC_LEARNED:
            from analysis.metrics.artifacts import learn

            try:
                learn(Path(folder))
            except (ValueError, OSError) as error:
                raise ImproperlyConfigured(f"METRIC_LEARNED: {error}") from error
