"""Who is asked and paid: launches, people who came, what they handed in, money, the outbox."""

from __future__ import annotations

from crowds.models.launches import ExternalId, Launch, Policy, Publication, PublishedHit
from crowds.models.outbox import OutboxMessage, ReviewAction, Sending
from crowds.models.records import AuditEntry, LedgerEntry, Notice
from crowds.models.submissions import Arrival, Exclusion, GroupLink, Invitation, Submission, Verdict

__all__ = [
    "Arrival",
    "AuditEntry",
    "Exclusion",
    "ExternalId",
    "GroupLink",
    "Invitation",
    "Launch",
    "LedgerEntry",
    "Notice",
    "OutboxMessage",
    "Policy",
    "Publication",
    "PublishedHit",
    "ReviewAction",
    "Sending",
    "Submission",
    "Verdict",
]
