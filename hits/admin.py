"""The admin site: everything can be looked at and searched, little can be changed.

Material and HITs come from imports and composition, whose checks the admin would bypass; so
their rows are read-only here. What is left to edit is who owns and shares a campaign.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import Model, Q, URLField
from django.http import HttpRequest

from hits.models import Batch, Campaign, Caption, Clip, Hit, HitItem, System, Upload, Video


class ReadOnlyAdmin(admin.ModelAdmin[Any]):
    """Rows that only services may write."""

    show_full_result_count = False
    formfield_overrides = {URLField: {"assume_scheme": "https"}}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class CampaignForm(forms.ModelForm[Campaign]):
    """Django leaves out constraints on fields that cannot be edited, such as the name."""

    def clean_owner(self) -> User:
        owner: User = self.cleaned_data["owner"]
        twin = Q(name=self.instance.name) | Q(source_digest=self.instance.source_digest)
        if owner.campaigns.filter(twin).exclude(pk=self.instance.pk).exists():
            raise ValidationError("This person has a campaign of that name, or of the same files.")
        return owner


@admin.register(Campaign)
class CampaignAdmin(admin.ModelAdmin[Campaign]):
    form = CampaignForm
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


@admin.register(Clip)
class ClipAdmin(ReadOnlyAdmin):
    list_display = ("video", "whole", "part", "start", "end")
    list_select_related = ("video",)
    list_filter = ("video__campaign",)
    search_fields = ("whole", "video__name")


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
    ordering = ["pk"]  # a million of them are not sorted by the names of videos and campaigns
    list_display = ["text", "system", "video", "retired_at"]
    list_filter = ["system__campaign", "system__role"]
    search_fields = ["text"]
    list_select_related = ["system", "video"]


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    list_display = ["number", "campaign", "status", "seed", "hit_size", "redundancy", "created_at"]
    list_filter = ["status", "campaign"]
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
    ordering = ["pk"]
    list_display = ["position", "hit", "kind", "text"]
    list_filter = ["kind", "hit__batch__campaign"]
    search_fields = ["caption__text", "degraded_text"]
    list_select_related = ["hit__batch__campaign", "caption"]


@admin.register(Upload)
class UploadAdmin(ReadOnlyAdmin):
    list_display = ["filename", "owner", "stage", "status", "created_at"]
    list_filter = ["stage", "status", "created_at"]
    search_fields = ["filename", "owner__username"]
    list_select_related = ["owner"]
