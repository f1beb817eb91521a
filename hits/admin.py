"""The admin site: everything can be looked at and searched, little can be changed.

Material and HITs come from imports and composition, whose checks the admin would bypass; so
their rows are read-only here. What is left to edit is who owns and shares a campaign.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from hits.models import Batch, Campaign, Caption, Hit, HitItem, System, Upload, Video


class ReadOnlyAdmin(admin.ModelAdmin[Any]):
    """Rows that only services may write."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Campaign)
class CampaignAdmin(admin.ModelAdmin[Campaign]):
    list_display = ["name", "owner", "state", "created_at"]
    list_filter = ["state", "is_demo", "created_at"]
    search_fields = ["name", "slug", "owner__username"]
    fields = ["name", "slug", "owner", "colleagues", "state", "created_at", "source_digest"]
    readonly_fields = ["name", "slug", "state", "created_at", "source_digest"]
    autocomplete_fields = ["owner", "colleagues"]
    list_select_related = ["owner"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Campaign | None = None) -> bool:
        return False


@admin.register(Video)
class VideoAdmin(ReadOnlyAdmin):
    list_display = ["name", "campaign", "duration", "width", "height", "codec"]
    list_filter = ["campaign", "codec"]
    search_fields = ["name", "sha256"]
    list_select_related = ["campaign"]


@admin.register(System)
class SystemAdmin(ReadOnlyAdmin):
    list_display = ["name", "campaign", "role", "is_control"]
    list_filter = ["role", "is_control", "campaign"]
    search_fields = ["name"]
    list_select_related = ["campaign"]


@admin.register(Caption)
class CaptionAdmin(ReadOnlyAdmin):
    list_display = ["text", "system", "video", "retired_at"]
    list_filter = ["system__campaign", "system__role"]
    search_fields = ["text"]
    list_select_related = ["system", "video"]


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    list_display = ["number", "campaign", "seed", "hit_size", "redundancy", "created_at"]
    list_filter = ["campaign"]
    search_fields = ["campaign__name"]
    list_select_related = ["campaign"]


@admin.register(Hit)
class HitAdmin(ReadOnlyAdmin):
    list_display = ["number", "batch"]
    list_filter = ["batch__campaign"]
    search_fields = ["batch__campaign__name"]
    list_select_related = ["batch__campaign"]


@admin.register(HitItem)
class HitItemAdmin(ReadOnlyAdmin):
    list_display = ["position", "hit", "kind", "text"]
    list_filter = ["kind", "hit__batch__campaign"]
    search_fields = ["caption__text", "degraded_text"]
    list_select_related = ["hit__batch__campaign", "caption"]


@admin.register(Upload)
class UploadAdmin(ReadOnlyAdmin):
    list_display = ["filename", "owner", "state", "created_at"]
    list_filter = ["state", "created_at"]
    search_fields = ["filename", "owner__username"]
    list_select_related = ["owner"]
