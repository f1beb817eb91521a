"""Captions with what people and metrics say of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.models import MetricScore
from analysis.pipeline import Analysis
from analysis.selectors.metric_scores import metric_sources
from hits.models import Campaign, Caption


def captions_found(campaign: Campaign, analysis: Analysis) -> dict[str, NDArray[Any]]:
    """Id, words and video's id of each scored caption; of a corrected caption the last words."""
    rows = Caption.objects.filter(system__campaign=campaign).order_by("pk")
    ids = np.array(list(rows.values_list("pk", "system_id", "video_id")), np.int64).reshape(-1, 3)
    texts = np.array(list(rows.values_list("text", flat=True)), dtype=object)
    systems = dict(campaign.systems.values_list("name", "pk"))
    videos = dict(campaign.videos.values_list("name", "pk"))
    stride = max(videos.values(), default=0) + 1
    system = np.array([systems[name] for name in analysis.ratings.systems])
    video = np.array([videos[name] for name in analysis.ratings.items])
    wanted = system[analysis.captions.system] * stride + video[analysis.captions.item]
    keys = ids[:, 1] * stride + ids[:, 2]
    order = np.argsort(keys, kind="stable")
    place = order[np.searchsorted(keys[order], wanted, side="right") - 1]
    return {"caption": ids[place, 0], "video": ids[place, 2], "text": texts[place]}


def metric_scores_of(campaign: Campaign, captions: Sequence[int]) -> dict[int, dict[str, float]]:
    """Each caption's value of every metric, from the last run that computed the metric."""
    sources = metric_sources(campaign)
    rows = MetricScore.objects.filter(run__in=set(sources.values()), caption__in=captions)
    found: dict[int, dict[str, float]] = {caption: {} for caption in captions}
    for run, caption, metric, value in rows.values_list("run_id", "caption_id", "metric", "value"):
        if metric in sources and sources[metric].pk == run:
            found[caption][metric] = value
    return found
