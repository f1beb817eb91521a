from __future__ import annotations

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from analysis.presenting.downloads import formats
from analysis.views import (
    annotators,
    captions,
    comparison,
    description,
    downloads,
    evaluation,
    factuality,
    inspector,
    learned,
    metrics,
    overview,
    pairs,
    results,
    sets,
    why,
    written,
)


class TableFormat(StringConverter):
    """How a list is written to a file."""

    regex = "|".join(formats())


register_converter(TableFormat, "table")
app_name = "analysis"
urlpatterns = [
    path("<slug:slug>/overview/", overview.overview, name="overview"),
    path("<slug:slug>/metrics/", metrics.metrics, name="metrics"),
    path("<slug:slug>/metrics/score/", metrics.metric_score, name="metric-score"),
    path("<slug:slug>/metrics/<int:pk>/cancel/", metrics.metric_cancel, name="metric-cancel"),
    path("<slug:slug>/metrics/<int:pk>/choose/", metrics.metric_choose, name="metric-choose"),
    path("<slug:slug>/metrics/<int:pk>/retry/", metrics.metric_retry, name="metric-retry"),
    path("<slug:slug>/metrics/learn/", learned.metric_learn, name="metric-learn"),
    path("<slug:slug>/learned/<int:pk>/", learned.learned_metric, name="learned-metric"),
    path("<slug:slug>/learned/<int:pk>/stop/", learned.learned_stop, name="learned-stop"),
    path("<slug:slug>/learned/<int:pk>/again/", learned.learned_again, name="learned-again"),
    path("<slug:slug>/learned/<int:pk>/retire/", learned.learned_retire, name="learned-retire"),
    path("<slug:slug>/learned/<int:pk>/<str:name>.zip", learned.learned_file, name="learned-file"),
    path("<slug:slug>/metrics/<str:name>", metrics.metric_file, name="metric-file"),
    path("<slug:slug>/agreement/", evaluation.evaluation, name="evaluation"),
    path("<slug:slug>/agreement/sets/", sets.sets, name="sets"),
    path("<slug:slug>/agreement/sets/<int:pk>/mix/", sets.mix_use, name="sets-mix"),
    path(
        "<slug:slug>/agreement/<int:pk>/<str:name>",
        evaluation.evaluation_file,
        name="evaluation-file",
    ),
    path("<slug:slug>/data/", description.description, name="description"),
    path(
        "<slug:slug>/data/<int:pk>/<str:name>",
        description.description_file,
        name="description-file",
    ),
    path("<slug:slug>/ranking/", results.ranking, name="ranking"),
    path("<slug:slug>/ranking/pair/", pairs.pair, name="pair"),
    path("<slug:slug>/comparison/", comparison.comparison, name="comparison"),
    path("<slug:slug>/captions/", captions.caption_list, name="caption-list"),
    path("<slug:slug>/captions/<int:pk>/why/", why.why, name="why"),
    path("<slug:slug>/videos/<int:pk>/frames/<int:at>.jpg", why.video_frame, name="video-frame"),
    path("<slug:slug>/videos/<int:pk>/scores/", captions.video_scores, name="video-scores"),
    path(
        "<slug:slug>/videos/<int:pk>/problems/settle/",
        captions.video_settle,
        name="video-settle",
    ),
    path("<slug:slug>/factuality/", factuality.factuality, name="factuality"),
    path(
        "<slug:slug>/factuality/<str:pseudonym>/",
        factuality.factuality_person,
        name="factuality-person",
    ),
    path("<slug:slug>/factuality.json", factuality.factuality_file, name="factuality-file"),
    path("<slug:slug>/written/", written.written, name="written"),
    path("<slug:slug>/written/decide/", written.written_decide, name="written-decide"),
    path("<slug:slug>/written/adopt/", written.written_adopt, name="written-adopt"),
    path("<slug:slug>/annotators/", annotators.annotator_list, name="annotator-list"),
    path(
        "<slug:slug>/annotators/order/",
        annotators.annotators_order,
        name="annotators-order",
    ),
    path("<slug:slug>/hits/<int:pk>/", inspector.hit_detail, name="hit-detail"),
    path(
        "<slug:slug>/annotators/<str:pseudonym>/",
        annotators.annotator_detail,
        name="annotator-detail",
    ),
    path("<slug:slug>/files/<slug:name>.<table:format>", downloads.download, name="download"),
    path(
        "<slug:slug>/files/<slug:name>/<str:subject>.<table:format>",
        downloads.download,
        name="download-of",
    ),
    path("<slug:slug>/exports/", downloads.export_list, name="export-list"),
    path("<slug:slug>/exports/<int:pk>", downloads.export_file, name="export-file"),
    path("<slug:slug>/results/<int:pk>/<str:name>", results.result_file, name="result-file"),
]
