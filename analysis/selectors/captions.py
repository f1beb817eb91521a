"""Captions with what people and metrics say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analysis.metrics.scoring import column
from analysis.models import MetricRun, MetricScore, Result
from analysis.presenting.exports import records
from analysis.presenting.listings import CAPTIONS, arranged, as_table, containing, matching
from analysis.results.pipeline import Analysis
from analysis.selectors.results import result_listing
from hits.models import Campaign, Caption, Video
from hits.selectors import video_captions

if TYPE_CHECKING:
    import pyarrow as pa


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


def metric_scores_of(
    sources: Mapping[str, MetricRun], captions: Sequence[int]
) -> dict[int, dict[str, float]]:
    """Each caption's values; of each metric only from the run ``sources`` names for it."""
    rows = MetricScore.objects.filter(run__in=set(sources.values()), caption__in=captions)
    found: dict[int, dict[str, float]] = {caption: {} for caption in captions}
    values = rows.values_list("run_id", "run__label", "caption_id", "metric", "value")
    for run, label, caption, metric, value in values:
        name = column(metric, label)
        if name in sources and sources[name].pk == run:
            found[caption][name] = value
    return found


def captions_listed(
    result: Result, *, search: str = "", system: str = "", sort: str = ""
) -> pa.Table:
    """The scored captions that are asked for, in the order asked for."""
    listed = result_listing(result, CAPTIONS)
    if system:
        listed = matching(listed, "system", [system])
    return arranged(containing(listed, search, ["text", "item"]), sort or "-z")


@dataclass(frozen=True)
class ScoredCaption:
    """A caption with what people and metrics say of it; None where nobody's rating counts."""

    caption: Caption
    score: dict[str, Any] | None
    metrics: list[float | None]


def video_scored(
    video: Video, result: Result | None, sources: Mapping[str, MetricRun]
) -> list[ScoredCaption]:
    """Every system's caption of a video, the best first and those without a score last.

    ``sources`` are the metrics, as `metric_sources` gives them.
    """
    captions = list(video_captions(video))
    scores = _scores(video, result) if result else {}
    values = metric_scores_of(sources, [caption.pk for caption in captions])
    scored = [
        ScoredCaption(
            caption,
            scores.get(caption.system.name),
            [values[caption.pk].get(name) for name in sources],
        )
        for caption in captions
    ]
    return sorted(scored, key=lambda each: -each.score["z"] if each.score else np.inf)


def _scores(video: Video, result: Result) -> dict[str, dict[str, Any]]:
    listed = matching(result_listing(result, CAPTIONS), "video", [video.pk])
    return {row["system"]: row for row in records(as_table(listed))}
