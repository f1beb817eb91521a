"""The rated captions of a campaign, as a metric learns from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from analysis.evaluation.human import PASSED
from analysis.learning.rated import RatedSet, checked
from analysis.metrics.batch import Batch, VideoFile
from analysis.results.snapshot import Columns
from analysis.selectors.evaluations import people_scores
from hits.models import Campaign, Caption, System


def campaign_rated(campaign: Campaign, columns: Columns, *, seed: int = 7) -> RatedSet:
    """Captions by competing systems with people's mean z score, and the references of their videos.

    Raises ValueError when there are too few ratings to learn from.
    """
    people = people_scores(campaign, columns, annotators=PASSED, seed=seed).table.frame["z"]
    scores = people.to_dict()
    rows = Caption.objects.filter(system__campaign=campaign, retired_at=None).order_by("pk")
    references: dict[str, list[str]] = {}
    rated: list[tuple[str, str, str]] = []
    files: dict[str, VideoFile] = {}
    for video, file, sha256, system, role, text in rows.values_list(
        "video__name", "video__file", "video__sha256", "system__name", "system__role", "text"
    ):
        if sha256:
            files[video] = VideoFile(Path(file), sha256)
        if role == System.Role.REFERENCE:
            references.setdefault(video, []).append(text)
        elif np.isfinite(scores.get((video, system), np.nan)):
            rated.append((video, system, text))
    kept = [(video, system, text) for video, system, text in rated if video in references]
    told = {video: references[video] for video, _, _ in kept}
    return checked(
        RatedSet(
            campaign.slug,
            Batch(
                [text for _, _, text in kept], [video for video, _, _ in kept], told, told, files
            ),
            [system for _, system, _ in kept],
            np.array([scores[video, system] for video, system, _ in kept], dtype=np.float64),
        )
    )
