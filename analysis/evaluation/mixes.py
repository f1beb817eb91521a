"""The mix of metrics over several sets as a metric of its own: its description, and its file."""

from __future__ import annotations

import re
from itertools import compress
from typing import Final

import numpy as np

from analysis.evaluation.set_fusion import SetFusion
from analysis.evaluation.sets import SetEvaluation
from analysis.metrics.families.fusion import NAME, fusion_json
from analysis.metrics.learned.training_list import TrainingList

MIX: Final = "fusion-{}.json"


def mix_json(found: SetEvaluation, mix: SetFusion, name: str = NAME) -> bytes:
    """The mix as ``--learned`` reads it, with what it was fitted on where texts are known."""
    return fusion_json(
        mix.fusion, mix.metrics, mix.human, str(found.signature), _fitted_on(found, mix), name
    )


def _fitted_on(found: SetEvaluation, mix: SetFusion) -> TrainingList | None:
    rows = found.rows[mix.human]
    kept = np.split(mix.fitted, np.cumsum([len(one) for one in rows.values()])[:-1])
    lists = [
        found.joined[name].learned_from(
            list(compress(one.caption_videos, used)), list(compress(one.caption_systems, used))
        )
        for (name, one), used in zip(rows.items(), kept, strict=True)
    ]
    known = [one for one in lists if one is not None]
    return TrainingList.together(known) if len(known) == len(lists) else None


def mix_file(mix: SetFusion) -> str:
    return MIX.format(re.sub(r"\W+", "-", mix.human))
