from __future__ import annotations

from django.urls import path, re_path

from analysis.views import results

app_name = "analysis"
urlpatterns = [
    path("<slug:slug>/ranking/", results.ranking, name="ranking"),
    re_path(
        r"^(?P<slug>[-a-zA-Z0-9_]+)/ratings\.(?P<format>csv|parquet)$",
        results.ratings_file,
        name="ratings-file",
    ),
    path("<slug:slug>/results/<int:pk>/<str:name>", results.result_file, name="result-file"),
]
