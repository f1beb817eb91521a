"""Measurements for Prometheus: what processes counted, and what the rows say at this moment."""

from __future__ import annotations

import os
from collections.abc import Iterator

from django.conf import settings
from django.db.models import Count, Min, QuerySet, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from annotations.models import Assignment
from crowds.models import LedgerEntry, OutboxMessage
from daplatform.jobs.services import kinds


def waiting() -> dict[str, QuerySet]:  # type: ignore[type-arg]
    """Work that rows stand for and no worker has ended yet."""
    jobs = {kind.name: kind.model.objects.active() for kind in kinds().values()}
    return jobs | {
        "crowd": OutboxMessage.objects.exclude(
            state__in=[*OutboxMessage.ENDED, OutboxMessage.State.ASKING]
        )
    }


class Rows(Collector):
    """Gauges read from the database when they are asked for."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from self.queues()
        yield counted("da_assignments", "Assignments by state.", Assignment, "state")
        yield counted("da_outbox_messages", "Messages to crowds by state.", OutboxMessage, "state")
        money = GaugeMetricFamily("da_money", "Sums of the ledger.", labels=["kind"])
        for kind, total in LedgerEntry.objects.values_list("kind").annotate(Sum("amount")):
            money.add_metric([kind], float(total))
        yield money

    def queues(self) -> Iterator[GaugeMetricFamily]:
        lengths = GaugeMetricFamily("da_waiting", "Pieces of work waiting.", labels=["queue"])
        ages = GaugeMetricFamily(
            "da_waiting_oldest_seconds", "Age of the oldest of them.", labels=["queue"]
        )
        for name, rows in waiting().items():
            found = rows.aggregate(count=Count("pk"), since=Min("created_at"))
            age = (timezone.now() - found["since"]).total_seconds() if found["since"] else 0.0
            lengths.add_metric([name], found["count"])
            ages.add_metric([name], age)
        yield from (lengths, ages)


def counted(name: str, words: str, model: type, column: str) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, words, labels=[column])
    for value, count in model.objects.order_by().values_list(column).annotate(Count("pk")):  # type: ignore[attr-defined]
        family.add_metric([value], count)
    return family


def everything() -> bytes:
    """Of all processes of this machine, where they share a folder for it; else of this one."""
    registry = CollectorRegistry()
    registry.register(Rows())
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY) + generate_latest(registry)
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For those who hold METRICS_TOKEN. To everybody else there is nothing here."""
    asked = request.headers.get("Authorization", "")
    token = settings.METRICS_TOKEN
    if not token or not constant_time_compare(asked, f"Bearer {token}"):
        raise Http404
    return HttpResponse(everything(), content_type=CONTENT_TYPE_LATEST)
