from __future__ import annotations

from django.urls import path, re_path

from analysis.views import metrics, results

app_name = "analysis"
urlpatterns = [
    path("<slug:slug>/metrics/", metrics.metrics, name="metrics"),
    path("<slug:slug>/metrics/score/", metrics.metric_score, name="metric-score"),
    path("<slug:slug>/metrics/<int:pk>/cancel/", metrics.metric_cancel, name="metric-cancel"),
    path("<slug:slug>/metrics/<int:pk>/retry/", metrics.metric_retry, name="metric-retry"),
    path("<slug:slug>/metrics/<str:name>", metrics.metric_file, name="metric-file"),
    path("<slug:slug>/ranking/", results.ranking, name="ranking"),
    re_path(
        r"^(?P<slug>[-a-zA-Z0-9_]+)/ratings\.(?P<format>csv|parquet)$",
        results.ratings_file,
        name="ratings-file",
    ),
    path("<slug:slug>/results/<int:pk>/<str:name>", results.result_file, name="result-file"),
]
