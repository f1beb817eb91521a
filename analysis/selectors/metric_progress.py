"""How far a run of metrics is, how fast it goes, and what has failed so far."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, Sum

from analysis.models import MetricChunk, MetricFault, MetricRun
from daplatform.jobs.models import silent_since
from hits.models import Campaign


@dataclass(frozen=True)
class KindProgress:
    """How much of one kind of work is done, and how fast it goes."""

    kind: MetricChunk.Kind
    done: int
    total: int
    seconds_each: float | None
    busy: int

    @property
    def rate(self) -> float | None:
        """Items per second, all workers together; metrics differ too much to have one."""
        if not self.seconds_each or self.kind == MetricChunk.Kind.SCORES:
            return None
        return max(self.busy, 1) / self.seconds_each

    @property
    def seconds_left(self) -> float | None:
        left = self.total - self.done
        return left / self.rate if left and self.rate else (None if left else 0.0)


def run_progress(run: MetricRun) -> list[KindProgress]:
    """One query; nothing where the run is not cut into chunks yet."""
    kinds = (
        run.chunks.order_by()
        .values("kind")
        .annotate(
            total=Sum("size"),
            done=Sum("size", filter=~Q(status__in=MetricChunk.ACTIVE)),
            timed=Sum("size", filter=Q(seconds__isnull=False)),
            spent=Sum("seconds"),
            busy=Count("pk", filter=Q(claimed_at__gte=silent_since())),
        )
    )
    found = {
        row["kind"]: KindProgress(
            MetricChunk.Kind(row["kind"]),
            row["done"] or 0,
            row["total"],
            row["spent"] / row["timed"] if row["timed"] else None,
            row["busy"],
        )
        for row in kinds
    }
    return [found[kind] for kind in MetricChunk.Kind if kind in found]


def time_left(progress: list[KindProgress]) -> str:
    """Until everything is embedded, in words; nothing before a chunk of each kind is done."""
    left = [part.seconds_left for part in progress if part.kind != MetricChunk.Kind.SCORES]
    known = [seconds for seconds in left if seconds is not None]
    if len(known) < len(left) or not sum(known):
        return ""
    minutes = round(sum(known) / 60)
    if minutes < 1:
        return "less than a minute left"
    return f"about {minutes} min left" if minutes < 90 else f"about {round(minutes / 60)} h left"


def run_faults(run: MetricRun) -> list[MetricFault]:
    """What could not be scored, video by video."""
    faults = MetricFault.objects.filter(chunk__run=run).select_related("video")
    return list(faults.order_by("video__name", "pk"))


def run_latest(campaign: Campaign) -> MetricRun | None:
    return campaign.metric_runs.select_related("requested_by").order_by("-pk").first()
