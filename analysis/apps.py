from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from django.apps import AppConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

if TYPE_CHECKING:
    from analysis.metrics.registry import Family


def _trained_here(names: Collection[str]) -> Iterable[Family]:
    from analysis.selectors.learned_metrics import families_named  # needs all apps to be there

    return families_named(names)


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self) -> None:
        """Trained metrics that the operator names are known by their names from the start; those
        that were trained here, as soon as somebody names them."""
        from analysis.metrics.registry import find_with

        find_with(_trained_here)
        for folder in settings.METRIC_LEARNED:
            from analysis.metrics.artifacts import learn

            try:
                learn(Path(folder))
            except (ValueError, OSError) as error:
                raise ImproperlyConfigured(f"METRIC_LEARNED: {error}") from error
