"""The admin site's view of crowds: everything can be looked at, nothing changed."""

from __future__ import annotations

from django.contrib import admin

from crowds.models import (
    Arrival,
    AuditEntry,
    Exclusion,
    GroupLink,
    Invitation,
    Launch,
    LedgerEntry,
    OutboxMessage,
    Policy,
    Publication,
    ReviewAction,
    Submission,
    Verdict,
)
from hits.admin import ReadOnlyAdmin


@admin.register(Policy)
class PolicyAdmin(ReadOnlyAdmin):
    list_display = ["campaign", "budget", "pay_rule", "use_rule", "invite_rule"]
    list_filter = ["pay_rule", "use_rule", "invite_rule"]
    search_fields = ["campaign__name"]
    list_select_related = ["campaign"]


@admin.register(Launch)
class LaunchAdmin(ReadOnlyAdmin):
    list_display = ["batch", "crowd", "state", "reward", "currency", "created_at"]
    list_filter = ["crowd", "state"]
    search_fields = ["batch__campaign__name"]
    list_select_related = ["batch__campaign"]


@admin.register(Publication)
class PublicationAdmin(ReadOnlyAdmin):
    list_display = ["reference", "launch", "status", "unit_reward", "created_at"]
    list_filter = ["status", "launch__crowd"]
    search_fields = ["reference"]
    list_select_related = ["launch__batch__campaign"]


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ReadOnlyAdmin):
    """What a crowd is told may name people: that is for the crowd, not for this page."""

    list_display = ["kind", "publication", "submission", "crowd", "state", "attempts", "created_at"]
    list_filter = ["state", "kind", "crowd"]
    search_fields = ["publication__reference", "occasion"]
    list_select_related = ["publication", "submission__annotator"]
    exclude = ["payload"]


@admin.register(ReviewAction)
class ReviewActionAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "campaign", "kind", "people", "submissions", "cost", "given_by"]
    list_filter = ["kind", "campaign"]
    search_fields = ["campaign__name", "text"]
    list_select_related = ["campaign", "given_by"]


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnlyAdmin):
    list_display = ["campaign", "kind", "amount", "reason", "submission", "created_at"]
    list_filter = ["kind", "campaign"]
    search_fields = ["campaign__name"]
    list_select_related = ["campaign", "submission__annotator"]


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "campaign", "person", "action", "detail"]
    list_filter = ["action", "campaign"]
    search_fields = ["detail"]
    list_select_related = ["campaign", "person"]


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


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ["annotator", "crowd", "status", "problem", "pay", "submitted_at"]
    list_filter = ["crowd", "status", "problem", "pay"]
    search_fields = ["annotator__pseudonym"]
    list_select_related = ["annotator"]


@admin.register(Verdict)
class VerdictAdmin(ReadOnlyAdmin):
    list_display = ["annotator", "campaign", "status", "p", "pairs", "checked_at"]
    list_filter = ["status", "campaign"]
    search_fields = ["annotator__pseudonym"]
    list_select_related = ["annotator", "campaign"]
