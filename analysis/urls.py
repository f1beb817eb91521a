from __future__ import annotations

from django.urls import path, re_path, register_converter
from django.urls.converters import StringConverter

from analysis.views import (
    agreement,
    annotators,
    captions,
    comparison,
    inspector,
    metrics,
    overview,
    pairs,
    results,
    why,
)


class TableFormat(StringConverter):
    """How a table is written to a file."""

    regex = "csv|json|parquet"


register_converter(TableFormat, "table")
app_name = "analysis"
urlpatterns = [
    # Without a slash, so that no campaign can be called that.
    path("progress", overview.campaigns_progress, name="campaigns-progress"),
    path("<slug:slug>/hits/progress", overview.hits_progress, name="hits-progress"),
    path("<slug:slug>/overview/", overview.overview, name="overview"),
    path("<slug:slug>/metrics/", metrics.metrics, name="metrics"),
    path("<slug:slug>/metrics/score/", metrics.metric_score, name="metric-score"),
    path("<slug:slug>/metrics/<int:pk>/cancel/", metrics.metric_cancel, name="metric-cancel"),
    path("<slug:slug>/metrics/<int:pk>/retry/", metrics.metric_retry, name="metric-retry"),
    path("<slug:slug>/metrics/<str:name>", metrics.metric_file, name="metric-file"),
    path("<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path(
        "<slug:slug>/agreement/<int:pk>/<str:name>",
        agreement.agreement_file,
        name="agreement-file",
    ),
    path("<slug:slug>/ranking/", results.ranking, name="ranking"),
    path("<slug:slug>/ranking/pair/", pairs.pair, name="pair"),
    path("<slug:slug>/ranking/pair.<table:format>", pairs.pair_file, name="pair-file"),
    path("<slug:slug>/comparison/", comparison.comparison, name="comparison"),
    path(
        "<slug:slug>/comparison.<table:format>", comparison.comparison_file, name="comparison-file"
    ),
    path("<slug:slug>/captions/", captions.caption_list, name="caption-list"),
    path("<slug:slug>/captions.<table:format>", captions.captions_file, name="captions-file"),
    path("<slug:slug>/captions/<int:pk>/why/", why.why, name="why"),
    path("<slug:slug>/videos/<int:pk>/frames/<int:at>.jpg", why.video_frame, name="video-frame"),
    path("<slug:slug>/videos/<int:pk>/scores/", captions.video_scores, name="video-scores"),
    path("<slug:slug>/annotators/", annotators.annotator_list, name="annotator-list"),
    path("<slug:slug>/hits/<int:pk>/", inspector.hit_detail, name="hit-detail"),
    path(
        "<slug:slug>/annotators.<table:format>", annotators.annotators_file, name="annotators-file"
    ),
    path(
        "<slug:slug>/annotators/<str:pseudonym>/",
        annotators.annotator_detail,
        name="annotator-detail",
    ),
    re_path(
        r"^(?P<slug>[-a-zA-Z0-9_]+)/ratings\.(?P<format>csv|parquet)$",
        results.ratings_file,
        name="ratings-file",
    ),
    path("<slug:slug>/results/<int:pk>/<str:name>", results.result_file, name="result-file"),
]
