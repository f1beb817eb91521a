"""List the metrics: what each measures, where it is defined, what it needs and what is missing."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from analysis.metrics.encoding.models import ModelChoice
from analysis.metrics.registry import families, titles
from analysis.services.metric_context import model_of_operator
from analysis.services.metric_workers import metrics_unavailable


class Command(BaseCommand):
    help = "List the metrics there are, with their papers, needs and settings."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        missing = metrics_unavailable(model_of_operator() or ModelChoice())
        for family in families():
            self.stdout.write(self.style.MIGRATE_HEADING(family.paper))
            for name, summary in family.metrics.items():
                self.stdout.write(f"  {name:<16} {summary}")
            self.stdout.write(f"  {'needs':<16} {', '.join(titles(family.needs))}")
            if family.settings:
                self.stdout.write(f"  {'settings':<16} {', '.join(family.settings)}")
            for reason in dict.fromkeys(
                missing[name] for name in family.metrics if name in missing
            ):
                self.stdout.write(self.style.WARNING(f"  {'not here':<16} {reason}"))
            self.stdout.write("")
