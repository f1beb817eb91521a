"""What is asked: campaigns, their material, the HITs made of it, and what crowds are told."""

from __future__ import annotations

from hits.models.batches import Batch, Hit, HitItem
from hits.models.campaigns import Campaign
from hits.models.launches import ExternalId, Launch, Place, Posting
from hits.models.material import Caption, System, Video
from hits.models.outbox import Act, Order, Sending
from hits.models.policies import Policy
from hits.models.records import AuditEntry, LedgerEntry, Notice
from hits.models.uploads import Upload

__all__ = [
    "Act",
    "AuditEntry",
    "Batch",
    "Campaign",
    "Caption",
    "ExternalId",
    "Hit",
    "HitItem",
    "Launch",
    "LedgerEntry",
    "Notice",
    "Order",
    "Place",
    "Policy",
    "Posting",
    "Sending",
    "System",
    "Upload",
    "Video",
]
