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
    Assignment,
    Correction,
    FormAnswers,
    Mark,
    Rating,
    TutorialPass,
    VideoProblem,
)
from hits.admin import ReadOnlyAdmin


@admin.register(Annotator)
class AnnotatorAdmin(ReadOnlyAdmin):
    list_display = ["pseudonym", "is_simulated", "created_at"]
    list_filter = ["is_simulated", "created_at"]
    search_fields = ["pseudonym"]


@admin.register(FormAnswers)
class FormAnswersAdmin(ReadOnlyAdmin):
    list_display = ["assignment", "answers"]
    list_filter = ["assignment__campaign"]
    search_fields = ["assignment__annotator__pseudonym"]
    list_select_related = ["assignment__hit__batch__campaign"]


@admin.register(TutorialPass)
class TutorialPassAdmin(ReadOnlyAdmin):
    list_display = ["annotator", "campaign", "passed_at"]
    list_filter = ["campaign"]
    search_fields = ["annotator__pseudonym"]
    list_select_related = ["annotator", "campaign"]


@admin.register(AnnotatorIdentity)
class AnnotatorIdentityAdmin(ReadOnlyAdmin):
    """Erasing an identity is allowed: it is the reason why it has a table of its own."""

    list_display = ["annotator", "crowd", "external_id"]
    list_filter = ["crowd"]
    search_fields = ["external_id", "annotator__pseudonym"]
    list_select_related = ["annotator"]

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return super(ReadOnlyAdmin, self).has_delete_permission(request, obj)


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ["hit", "slot", "state", "annotator", "claimed_at", "submitted_at"]
    list_filter = ["state", "campaign"]
    search_fields = ["annotator__pseudonym", "comment"]
    list_select_related = ["hit__batch__campaign", "annotator"]


@admin.register(Rating)
class RatingAdmin(ReadOnlyAdmin):
    list_display = ["score", "fluency", "kind", "annotator", "position", "revision", "created_at"]
    list_filter = ["kind", "is_unwatched", "campaign"]
    search_fields = ["annotator__pseudonym"]
    list_select_related = ["annotator"]


@admin.register(Mark)
class MarkAdmin(ReadOnlyAdmin):
    list_display = ["label", "start", "end", "question", "rating"]
    list_filter = ["rating__campaign"]
    search_fields = ["rating__annotator__pseudonym"]
    list_select_related = ["rating__item"]


@admin.register(VideoProblem)
class VideoProblemAdmin(ReadOnlyAdmin):
    list_display = ["video", "kind", "remark", "assignment", "created_at", "settled_at"]
    list_filter = ["kind", "assignment__campaign"]
    search_fields = ["remark", "assignment__annotator__pseudonym"]
    list_select_related = ["video", "assignment__hit__batch__campaign", "assignment__annotator"]


@admin.register(Correction)
class CorrectionAdmin(ReadOnlyAdmin):
    list_display = ["video", "assignment", "remark", "created_at", "done_at"]
    list_filter = ["assignment__campaign"]
    search_fields = ["remark", "assignment__annotator__pseudonym"]
    list_select_related = ["video", "assignment__hit__batch__campaign", "assignment__annotator"]
