"""The demo: its people, its campaigns and its metric scores, each made once."""

from __future__ import annotations

from django.contrib.auth.models import Group, User
from django.db import transaction

from analysis.metrics.encoding.models import DEMO, ModelChoice
from analysis.metrics.learned.features import METRICS
from analysis.metrics.registry import metric_names
from analysis.models import LearnedMetric, MetricRun
from analysis.services.learned_metrics import learned_metric_request
from analysis.services.metric_runs import metric_run_request
from analysis.services.metric_workers import metrics_unavailable
from hits.importing.reading import Reading
from hits.models import Campaign
from hits.services.campaigns import campaign_share
from hits.services.composing import batch_compose
from hits.services.importing import Progress, campaign_import
from rehearsal.demo.people import LOG_INS
from rehearsal.demo.plans import RATED, Plan


@transaction.atomic
def demo_people_create() -> list[User]:
    """The demo's accounts; those that are there stay as they are."""
    return [_person(*log_in) for log_in in LOG_INS]


def _person(username: str, password: str, group: str) -> User:
    person = User.objects.filter(username=username).first()
    if person is None:
        person = User.objects.create_user(username=username, password=password)
        person.groups.add(Group.objects.get(name=group))
    return person


def demo_campaign_create(*, reading: Reading, progress: Progress) -> Campaign:
    """A demo campaign, imported and composed; whatever of it is there stays as it is."""
    owner, *colleagues = demo_people_create()
    campaign = campaign_import(reading=reading, owner=owner, is_demo=True, progress=progress)
    if not campaign.batches.exists():
        names = [person.username for person in colleagues]
        campaign_share(campaign=campaign, usernames=names, by=owner)
        batch_compose(campaign=campaign)
    return campaign


def demo_campaign_find(plan: Plan) -> Campaign | None:
    """The campaign that was made of a plan; never a duplicate of it."""
    return Campaign.objects.filter(is_demo=True, slug=plan.slug).first()


def demo_scores_request() -> MetricRun | None:
    """Ask once for every metric this machine can compute; None where that was done before."""
    campaign = demo_campaign_find(RATED)
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


def demo_metric_request() -> LearnedMetric | None:
    """Ask once for a metric that learns from the demo's ratings; None where that was done before,
    or where this machine cannot compute what it looks at."""
    campaign = demo_campaign_find(RATED)
    if campaign is None or campaign.learned_metrics.exists():
        return None
    if set(METRICS) & set(metrics_unavailable(ModelChoice(DEMO))):
        return None
    return learned_metric_request(
        campaign=campaign, requested_by=campaign.owner, kind="head", name="demo-head"
    )
