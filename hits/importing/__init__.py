"""Files to checked rows, without a database: every fault with its file, line, column and remedy.

with TemporaryDirectory() as workspace:
    reading = read_campaign(Path("campaign.zip"), workspace=Path(workspace))
    for fault in reading.faults:
        print(fault)
    if reading.is_sound:
        for caption in reading.captions():
            ...
"""

from __future__ import annotations

from hits.importing.limits import LIMITS, Limits
from hits.importing.reading import Caption, FileChanged, Reading, read_campaign
from hits.importing.roles import Role, System
from hits.importing.sandbox import Prober, UnreadableVideo, VideoFacts, probe_video, video_poster
from hits.importing.settings import HitSettings, Settings
from hits.importing.videos import Progress, Video

__all__ = [
    "LIMITS",
    "Caption",
    "FileChanged",
    "HitSettings",
    "Limits",
    "Prober",
    "Progress",
    "Reading",
    "Role",
    "Settings",
    "System",
    "UnreadableVideo",
    "Video",
    "VideoFacts",
    "probe_video",
    "read_campaign",
    "video_poster",
]
