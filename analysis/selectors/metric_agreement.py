"""What people and metrics said about a campaign's captions, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.meta.human import PASSED, analyse_all, human_scores
from analysis.meta.inputs import Inputs
from analysis.meta.scores import ScoreTable, table_of_rows
from analysis.models import MetricScore
from analysis.selectors.metric_scores import metric_sources
from analysis.selectors.ratings import ratings_of
from analysis.snapshot import Columns
from hits.models import Campaign


def campaign_inputs(
    campaign: Campaign, columns: Columns, *, annotators: Sequence[str] = (PASSED,), seed: int = 7
) -> Inputs:
    """Caption scores by the annotators wanted, and the last scores of every metric.

    `Inputs.aligned(0)` joins them, `evaluate_metrics` does the rest: on the platform rows carry
    the names of videos and systems, so nothing has to be lined up.

    Raises ValueError when there are no ratings, or no metric was scored.
    """
    analysis = analyse_all(ratings_of(campaign, columns), seed)
    return Inputs(human_scores(analysis, annotators), metric_values(campaign))


def metric_values(campaign: Campaign) -> ScoreTable:
    """Every metric by video and system, each from the last run that scored it. Two queries."""
    sources = metric_sources(campaign)
    rows = MetricScore.objects.filter(run__in=set(sources.values())).values_list(
        "caption__video__name", "caption__system__name", "metric", "value", "run_id"
    )
    found = [row[:4] for row in rows if sources[row[2]].pk == row[4]]
    if not found:
        raise ValueError("no metric of this campaign has been scored")
    videos, systems, metrics, values = zip(*sorted(found), strict=True)
    return table_of_rows(videos, systems, metrics, values, source="the campaign's metrics")
