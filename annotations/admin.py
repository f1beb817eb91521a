"""The admin site's view of the work: everything can be looked at, nothing changed.

Who an annotator is to a crowd is shown nowhere here but in its own table, for administrators.
"""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from annotations.models import (
    Annotator,
    AnnotatorIdentity,
    Arrival,
    Assignment,
    Exclusion,
    GroupLink,
    Invitation,
    Rating,
    Submission,
    Verdict,
)
from hits.admin import ReadOnlyAdmin


@admin.register(Annotator)
class AnnotatorAdmin(ReadOnlyAdmin):
    list_display = ["pseudonym", "is_simulated", "created_at"]
    list_filter = ["is_simulated", "created_at"]
    search_fields = ["pseudonym"]


@admin.register(AnnotatorIdentity)
class AnnotatorIdentityAdmin(ReadOnlyAdmin):
    """Erasing an identity is allowed: it is the reason why it has a table of its own."""

    list_display = ["annotator", "crowd", "external_id"]
    list_filter = ["crowd"]
    search_fields = ["external_id", "annotator__pseudonym"]
    list_select_related = ["annotator"]

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return super(ReadOnlyAdmin, self).has_delete_permission(request, obj)


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    list_display = ["annotator", "campaign", "joined", "created_at"]
    list_filter = ["joined", "campaign"]
    search_fields = ["annotator__pseudonym"]
    list_select_related = ["annotator", "campaign"]


@admin.register(GroupLink)
class GroupLinkAdmin(ReadOnlyAdmin):
    list_display = ["campaign", "people", "version", "is_open"]
    list_filter = ["is_open"]
    search_fields = ["campaign__name"]
    list_select_related = ["campaign"]


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ["hit", "slot", "state", "annotator", "claimed_at", "submitted_at"]
    list_filter = ["state", "campaign"]
    search_fields = ["annotator__pseudonym", "comment"]
    list_select_related = ["hit__batch__campaign", "annotator"]


@admin.register(Arrival)
class ArrivalAdmin(ReadOnlyAdmin):
    list_display = ["assignment", "crowd", "external_id"]
    list_filter = ["crowd"]
    search_fields = ["external_id"]
    list_select_related = ["assignment__hit__batch__campaign"]


@admin.register(Exclusion)
class ExclusionAdmin(ReadOnlyAdmin):
    list_display = ["annotator", "owner", "created_at"]
    list_filter = ["owner"]
    search_fields = ["annotator__pseudonym"]
    list_select_related = ["annotator", "owner"]


@admin.register(Rating)
class RatingAdmin(ReadOnlyAdmin):
    list_display = ["score", "fluency", "kind", "annotator", "position", "revision", "created_at"]
    list_filter = ["kind", "is_unwatched", "campaign"]
    search_fields = ["annotator__pseudonym"]
    list_select_related = ["annotator"]


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ["annotator", "crowd", "progress", "problem", "pay", "submitted_at"]
    list_filter = ["crowd", "progress", "problem", "pay"]
    search_fields = ["annotator__pseudonym"]
    list_select_related = ["annotator"]


@admin.register(Verdict)
class VerdictAdmin(ReadOnlyAdmin):
    list_display = ["annotator", "campaign", "status", "p", "pairs", "checked_at"]
    list_filter = ["status", "campaign"]
    search_fields = ["annotator__pseudonym"]
    list_select_related = ["annotator", "campaign"]
