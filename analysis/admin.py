"""Results, metrics and keys in the admin: to be looked at."""

from __future__ import annotations

from django.contrib import admin

from analysis.models import (
    ApiKey,
    Description,
    Export,
    LearnedMetric,
    MetricEvaluation,
    MetricRun,
    MetricWorker,
    PhraseCategory,
    Result,
)
from hits.admin import ReadOnlyAdmin


@admin.register(Result)
class ResultAdmin(ReadOnlyAdmin):
    list_display = ["campaign", "last_rating", "status", "created_at", "finished_at"]
    list_filter = ["status", "campaign"]
    search_fields = ["campaign__name", "signature"]
    list_select_related = ["campaign"]


@admin.register(MetricEvaluation, Description)
class AgreementAdmin(ReadOnlyAdmin):
    list_display = ["campaign", "last_rating", "status", "created_at", "finished_at"]
    list_filter = ["status", "campaign"]
    search_fields = ["campaign__name", "signature"]
    list_select_related = ["campaign"]


@admin.register(Export)
class ExportAdmin(ReadOnlyAdmin):
    list_display = ["name", "format", "campaign", "requested_by", "status", "rows", "created_at"]
    list_filter = ["status", "campaign"]
    search_fields = ["name", "campaign__name"]
    list_select_related = ["campaign", "requested_by"]


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    list_display = ["name", "owner", "created_at", "used_at"]
    list_filter = ["created_at", "used_at"]
    search_fields = ["name", "owner__username"]
    list_select_related = ["owner"]


@admin.register(MetricRun)
class MetricRunAdmin(ReadOnlyAdmin):
    list_display = ["campaign", "status", "requested_by", "created_at", "finished_at"]
    list_filter = ["status", "campaign"]
    search_fields = ["campaign__name"]
    list_select_related = ["campaign", "requested_by"]


@admin.register(LearnedMetric)
class LearnedMetricAdmin(ReadOnlyAdmin):
    list_display = ["name", "kind", "campaign", "status", "requested_by", "created_at"]
    list_filter = ["status", "kind", "campaign"]
    search_fields = ["name", "campaign__name"]
    list_select_related = ["campaign", "requested_by"]


@admin.register(MetricWorker)
class MetricWorkerAdmin(ReadOnlyAdmin):
    list_display = ["name", "device", "seen_at"]
    list_filter = ["device"]
    search_fields = ["name"]


@admin.register(PhraseCategory)
class PhraseCategoryAdmin(ReadOnlyAdmin):
    list_display = ["phrase", "category", "campaign", "by", "changed_at"]
    list_filter = ["category", "campaign"]
    search_fields = ["phrase"]
    list_select_related = ["campaign", "by"]
