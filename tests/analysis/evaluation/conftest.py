"""A small campaign of its own: people's scores, and metrics that agree with them more or less."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.evaluation.joining import join
from analysis.evaluation.scores import score_table

VIDEOS, SYSTEMS = 60, 4


@pytest.fixture(scope="module")
def scores():
    """Human and metric tables: `close` follows people, `far` hardly, `against` the other way."""
    rng = np.random.default_rng(3)
    videos = [str(video) for video in range(1, VIDEOS + 1) for _ in range(SYSTEMS)]
    systems = ["A", "B", "C", "D"] * VIDEOS
    quality = rng.normal(size=len(videos)) + np.tile(np.arange(SYSTEMS) / 2, VIDEOS)
    noise = rng.normal(size=(3, len(videos)))
    human = score_table(videos, systems, {"z": quality})
    metrics = score_table(
        videos,
        systems,
        {
            "close": quality + 0.5 * noise[0],
            "far": quality + 3 * noise[1],
            "against": -quality + noise[2],
        },
    )
    return human, metrics


@pytest.fixture(scope="module")
def joined(scores):
    return join(*scores)
