"""How much of everything a campaign may hold: a hostile folder must not fill a machine."""

from __future__ import annotations

from dataclasses import dataclass

from daplatform.tables import MEGABYTE, Bounds


@dataclass(frozen=True)
class Limits(Bounds):
    """Bounds of one import. The defaults keep it under 500 MB of memory."""

    captions: int = 5_000_000
    videos: int = 100_000
    videos_bytes: int = 32 * MEGABYTE  # of their list, which is held
    systems: int = 2_000
    caption_characters: int = 5_000
    name_characters: int = 200  # of videos and campaigns
    system_characters: int = 100
    address_characters: int = 2_000
    prose_characters: int = 20_000
    settings_bytes: int = 65_536
    faults_per_kind: int = 1_000
    archive_files: int = 50_000
    archive_directory_bytes: int = 8 * MEGABYTE
    archive_bytes: int = 8 * 1024 * MEGABYTE  # unpacked
    archive_ratio: int = 200  # unpacked to packed; captions reach about 20


LIMITS = Limits()
