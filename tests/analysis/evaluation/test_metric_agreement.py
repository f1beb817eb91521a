"""A campaign's ratings and metric scores, side by side."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.evaluation.pipeline import evaluate_metrics
from analysis.evaluation.settings import Settings
from analysis.models import MetricRun, MetricScore
from analysis.selectors.evaluations import campaign_inputs, metric_values
from analysis.selectors.metric_scores import metric_sources
from analysis.services.snapshots import snapshot_refresh
from hits.models import Caption
from tests.factories import make_annotator, make_campaign, make_hit, make_ratings

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    campaign = make_campaign(systems=1)
    hit = make_hit(campaign)
    for scores in ([90, 60, 20, 95, 5, 88], [80, 50, 30, 90, 10, 84]):
        make_ratings(hit, make_annotator(), scores)
    return campaign


def scored(campaign, metric, value):
    run = MetricRun.objects.create(
        campaign=campaign, metrics=[metric], choices={}, last_caption=0, status="done"
    )
    captions = Caption.objects.filter(video__campaign=campaign).exclude(system__role="reference")
    MetricScore.objects.bulk_create(
        MetricScore(run=run, caption=caption, metric=metric, value=value(caption.pk))
        for caption in captions
    )
    return run


def test_the_last_run_of_each_metric_counts(campaign, django_assert_num_queries):
    scored(campaign, "cider", lambda pk: 0.0)
    scored(campaign, "cider", float)
    scored(campaign, "bleu4", lambda pk: -pk)
    with django_assert_num_queries(3):
        table = metric_values(metric_sources(campaign))
    assert set(table.names) == {"cider", "bleu4"}
    assert table.frame["cider"].min() > 0
    assert (table.frame["cider"] == -table.frame["bleu4"]).all()


def test_ratings_and_metrics_meet_under_the_names_of_the_campaign(campaign):
    scored(campaign, "cider", lambda pk: -float(pk))
    columns = snapshot_refresh(campaign=campaign).read()
    inputs = campaign_inputs(campaign, columns, annotators="all")
    joined, _, _ = inputs.aligned(0)
    assert len(joined) == 3
    evaluation = evaluate_metrics(joined, Settings(draws=10, placebo=0))
    assert evaluation.parts[0].metrics == ("cider",)
    assert np.isfinite(evaluation.parts[0].caption.correlations.pearson).all()


def test_it_says_so_when_no_metric_was_scored(campaign):
    with pytest.raises(ValueError, match="no metric of this campaign has been scored"):
        metric_values(metric_sources(campaign))
