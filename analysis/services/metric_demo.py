"""The demo's rated campaign gets its metrics, so that a newcomer finds a table to look at."""

from __future__ import annotations

from analysis.metrics.models import DEMO, ModelChoice
from analysis.metrics.registry import metric_names
from analysis.models import MetricRun
from analysis.services.metric_runs import metric_run_request
from analysis.services.metric_workers import metrics_unavailable
from hits.demo.people import RATED_NAME
from hits.models import Campaign


def demo_scores_request() -> MetricRun | None:
    """Ask once for every metric this machine can compute; None where that was done before."""
    campaign = Campaign.objects.filter(is_demo=True, name=RATED_NAME).first()
    if campaign is None or campaign.metric_runs.exists():
        return None
    model = ModelChoice(DEMO)
    missing = metrics_unavailable(model)
    return metric_run_request(
        campaign=campaign,
        requested_by=campaign.owner,
        metrics=[name for name in metric_names() if name not in missing],
        model=model,
    )
