"""Results and keys in the admin: to be looked at."""

from __future__ import annotations

from django.contrib import admin

from analysis.models import ApiKey, Result
from hits.admin import ReadOnlyAdmin


@admin.register(Result)
class ResultAdmin(ReadOnlyAdmin):
    list_display = ["campaign", "last_rating", "state", "created_at", "finished_at"]
    list_filter = ["state", "campaign"]
    search_fields = ["campaign__name", "signature"]
    list_select_related = ["campaign"]


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    list_display = ["name", "owner", "created_at", "used_at"]
    list_filter = ["created_at", "used_at"]
    search_fields = ["name", "owner__username"]
    list_select_related = ["owner"]
