"""What is asked: campaigns, their material, and the HITs made of it."""

from __future__ import annotations

from hits.models.batches import Batch, Hit, HitItem, Upload
from hits.models.campaigns import Campaign
from hits.models.material import Caption, Clip, Rendition, System, Video

__all__ = [
    "Batch",
    "Campaign",
    "Caption",
    "Clip",
    "Hit",
    "HitItem",
    "Rendition",
    "System",
    "Upload",
    "Video",
]
