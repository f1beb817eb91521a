"""The demo's rated campaign gets its metrics, so that a newcomer finds a table to look at."""

from __future__ import annotations

from django.conf import settings

from analysis.metrics.registry import metric_names
from analysis.models import MetricRun
from analysis.services.metric_runs import metric_run_request
from analysis.services.metric_workers import metrics_unavailable, model_named
from hits.demo.people import RATED_NAME
from hits.models import Campaign


def demo_scores_request() -> MetricRun | None:
    """Ask once for every metric this machine can compute; None where that was done before."""
    campaign = Campaign.objects.filter(is_demo=True, name=RATED_NAME).first()
    if campaign is None or campaign.metric_runs.exists():
        return None
    missing = metrics_unavailable()
    model, weights = model_named(settings.METRIC_MODELS[0])
    return metric_run_request(
        campaign=campaign,
        requested_by=campaign.owner,
        metrics=[name for name in metric_names() if name not in missing],
        model=model,
        weights=weights,
    )
