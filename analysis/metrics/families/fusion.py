"""A mix of metrics as a metric: the weights that `correlate` found against people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.metrics.artifacts import Artifact, config_json
from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.learned.training_list import TRAINING, TrainingList, list_of
from analysis.metrics.registry import Family
from analysis.metrics.settings import Settings

if TYPE_CHECKING:
    from analysis.stats.fusion import Fusion

NAME: Final = "fusion"
LEARNED_FROM: Final = "learned_from"
_PAPER = (
    "Lebron et al. 2022, BERTHA: video captioning evaluation via transfer-learned human ratings"
)


def fusion_json(
    fusion: Fusion,
    metrics: tuple[str, ...],
    human: str,
    trained: str,
    learned_from: TrainingList | None = None,
    name: str = NAME,
) -> bytes:
    """A fusion as ``--learned`` reads it: numbers, names, and digests of what it was fitted on,
    without any file beside it."""
    options: dict[str, Any] = {"metrics": list(metrics), "fusion": asdict(fusion)}
    if learned_from is not None:
        options[LEARNED_FROM] = learned_from.lists()
    return config_json(
        kind=NAME,
        name=name,
        summary=f"{', '.join(metrics)}, weighted to agree with {human}",
        paper=_PAPER,
        trained=trained,
        options=options,
    )


def family(artifact: Artifact) -> Family:
    from analysis.stats.fusion import Fusion  # not on top: web processes import this module

    try:
        metrics = tuple(map(str, artifact.options["metrics"]))
        numbers = dict(artifact.options["fusion"])
        for name in ("mean", "sd", "weight"):
            numbers[name] = tuple(map(float, numbers[name]))
        fusion = Fusion(**numbers)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{artifact.folder}: this is not a fusion of metrics ({error}); write it again with "
            "`correlate`"
        ) from error

    def score(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
        missing = [name for name in metrics if name not in context.values]
        if missing:
            raise ValueError(f"{artifact.name} needs the metric {missing[0]!r}, which is not there")
        columns = np.column_stack([context.values[name] for name in metrics])
        return {artifact.name: fusion.predict(columns)}

    return Family(
        metrics={artifact.name: artifact.summary},
        paper=artifact.paper,
        needs=frozenset(),
        settings=(),
        score=score,
        data=lambda: artifact.signature,
        mixes=metrics,
        trained=_trained(artifact),
    )


def _trained(artifact: Artifact) -> Callable[[], TrainingList] | None:
    """Of `learn` it is a file beside it, of `correlate` it stands in the description; older ones,
    and those made of scores without texts, tell nothing."""
    if TRAINING in artifact.files:
        return list_of(artifact)
    lists = artifact.options.get(LEARNED_FROM)
    return None if lists is None else lambda: TrainingList.of_lists(lists)


ARTIFACTS = {NAME: family}
