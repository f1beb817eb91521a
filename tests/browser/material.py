"""Campaigns with real, very short H.264 clips."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile

from hits.models import Campaign
from tests.clips import make_clip
from tests.factories import make_campaign, make_hit

SECONDS = 0.4


@functools.cache
def clip_bytes(shade: int, seconds: float) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.mp4"
        return make_clip(path, seconds=seconds, size=(320, 180), shade=shade).read_bytes()


def clip_campaign(*, seconds: float = SECONDS, compose: bool = False, **fields: Any) -> Campaign:
    """A campaign whose videos are files, with a HIT of six captions unless it is composed."""
    campaign = make_campaign(**fields)
    for number, video in enumerate(campaign.videos.all()):
        video.url, video.duration = "", seconds
        content = ContentFile(clip_bytes(number % 5, seconds))
        video.file.save(f"{campaign.slug}/{video.name}.mp4", content, save=True)
    if not compose:
        make_hit(campaign)
    return campaign
