"""List the metrics: what each measures, where it is defined, what it needs and what is missing."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from django.core.management.base import BaseCommand

from analysis.metrics.encoding.models import ModelChoice
from analysis.metrics.registry import Family, families, titles
from analysis.services.metric_context import model_of_operator
from analysis.services.metric_workers import metrics_unavailable


class Command(BaseCommand):
    help = "List the available metrics with their papers, requirements and settings."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        missing = metrics_unavailable(model_of_operator() or ModelChoice())
        notes = {reason: at for at, reason in enumerate(dict.fromkeys(missing.values()), start=1)}
        for paper, group in groupby(families(), key=lambda family: family.paper):
            self.stdout.write(self.style.MIGRATE_HEADING(paper))
            for family in group:
                reasons = dict.fromkeys(missing[name] for name in family.metrics if name in missing)
                self._describe(family, [f"[{notes[reason]}]" for reason in reasons])
        for reason, at in notes.items():
            self.stdout.write(self.style.WARNING(f"[{at}] {reason[:1].upper()}{reason[1:]}."))

    def _describe(self, family: Family, missing: list[str]) -> None:
        for name, summary in family.metrics.items():
            self.stdout.write(f"  {name:<16} {summary}")
        self.stdout.write(f"  {'needs':<16} {', '.join(titles(family.needs))}")
        if family.settings:
            self.stdout.write(f"  {'settings':<16} {', '.join(family.settings)}")
        if missing:
            self.stdout.write(self.style.WARNING(f"  {'not here':<16} {' '.join(missing)}"))
        self.stdout.write("")
