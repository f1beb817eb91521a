"""Why a caption has the score it has: what a worker explained, and where that is kept.

In the media storage, which every machine has: workers with models explain, web servers show. All of
it can be made again.
"""

from __future__ import annotations

import json
from typing import Any

from django.core.files.storage import default_storage

from analysis.metrics.registry import Need, families, with_corpus
from analysis.metrics.scoring import metric_of
from analysis.models import MetricRun
from analysis.selectors.metric_scores import metric_sources
from hits.models import Campaign, Caption, Video

FOLDER = "explanations"


def explained_run(campaign: Campaign) -> MetricRun | None:
    """The last run that matched tokens with frames, as EMScore and FactVC do."""
    names = {
        name
        for family in families()
        if Need.VIDEO in family.needs and family.texts is with_corpus
        for name in family.metrics
    }
    runs = [run for name, run in metric_sources(campaign).items() if metric_of(name) in names]
    return max(runs, key=lambda run: run.pk, default=None)


def explanation_name(run: MetricRun, caption: Caption) -> str:
    """A run that is tried again keeps its id, but ends later."""
    ended = int(run.finished_at.timestamp()) if run.finished_at else 0
    return f"{FOLDER}/{run.campaign_id}/{run.pk}-{ended}/{caption.pk}.json"


def frame_name(video: Video, milliseconds: int) -> str:
    return f"{FOLDER}/{video.campaign_id}/frames/{video.sha256[:32]}/{milliseconds}.jpg"


def explanation_of(run: MetricRun, caption: Caption) -> dict[str, Any] | None:
    """What was explained, or why it cannot be; None while it is being made."""
    try:
        with default_storage.open(explanation_name(run, caption)) as file:
            found: dict[str, Any] = json.load(file)
    except (FileNotFoundError, json.JSONDecodeError):  # not there, or not all of it yet
        return None
    return found
