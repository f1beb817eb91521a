"""Ratings of captions that were asked once for several systems, credited to each of them."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from analysis.results.snapshot import Columns
from hits.models import Campaign, Caption, Hit, System

FRESH = (0, 3)  # system captions and their repeats; control captions are never merged


def credited(campaign: Campaign, answers: Columns) -> Columns:
    """Every answer once for each system that wrote the caption, where identical ones were merged.

    To the statistics it is as if each of the systems had been asked and answered alike.
    """
    merged = Hit.objects.filter(batch__campaign=campaign, batch__merge_identical=True)
    shared = np.isin(answers["hit"], list(merged.values_list("pk", flat=True)))
    shared &= np.isin(answers["kind"], FRESH)
    if not shared.any():
        return answers
    rows, systems = _copies(campaign, answers, np.flatnonzero(shared))
    copies = {name: values[rows] for name, values in answers.items()} | {"system": systems}
    return {name: np.concatenate([answers[name], copies[name]]) for name in answers}


def _copies(
    campaign: Campaign, answers: Columns, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows to be repeated, and the systems to repeat them for."""
    twins = _twins(campaign)
    pairs = [
        (row, twin)
        for row, system, video in zip(
            rows.tolist(),
            answers["system"][rows].tolist(),
            answers["item"][rows].tolist(),
            strict=True,
        )
        for twin in twins[system, video]
    ]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _twins(campaign: Campaign) -> dict[tuple[int, int], list[int]]:
    """For each system and video, the other systems with the same words for it."""
    ranked = Caption.objects.filter(system__campaign=campaign, retired_at=None)
    ranked = ranked.exclude(system__role=System.Role.REFERENCE)
    same: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for system, video, text in ranked.values_list("system_id", "video_id", "text"):
        same[video, text].append(system)
    twins: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for (video, _), systems in same.items():
        for system in systems:
            twins[system, video] = [other for other in systems if other != system]
    return twins
