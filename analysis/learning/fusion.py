"""`learn fusion`: text metrics weighed by least squares on several sets (bertha-2022 §5.2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np

from analysis.learning.folder import Reported, card, described, save_metric
from analysis.learning.head import PAPER
from analysis.learning.rated import Floats, RatedSet
from analysis.learning.splits import by_video
from analysis.learning.training import Fold, Trial, aim_of
from analysis.metrics.artifacts import Artifact
from analysis.metrics.batch import Values
from analysis.metrics.families.fusion import NAME
from analysis.metrics.learned.features import METRICS
from analysis.stats.correlation import pearson
from analysis.stats.fusion import Fusion, distinct_metrics, fit_fusion

VERSION: Final = "fusion-2"
HELD_OUT: Final = 0.2


@dataclass(frozen=True, eq=False)
class TrainedFusion:
    """The metrics that say something of their own, and their weights over all sets together."""

    metrics: tuple[str, ...]
    fusion: Fusion

    def predict(self, rated: RatedSet) -> Values:
        kept = [METRICS.index(name) for name in self.metrics]
        return self.fusion.predict(_columns(rated)[:, kept])


def learn_fusion(sets: Sequence[RatedSet]) -> TrainedFusion:
    table = np.concatenate([_columns(rated) for rated in sets])
    scores = aim_of(sets).scores
    r = [abs(pearson(column, scores)) if np.ptp(column) else 0.0 for column in table.T]
    kept = distinct_metrics(table, np.argsort(r, kind="stable")[::-1].tolist())
    return TrainedFusion(tuple(METRICS[at] for at in kept), fit_fusion(scores, table[:, kept]))


def save_fusion(
    out: Path,
    trained: TrainedFusion,
    sets: Sequence[RatedSet],
    *,
    name: str,
    seed: int,
    reported: Reported | None = None,
) -> Artifact:
    """The folder of a fusion of these sets, with how well it does on what it has not seen."""
    names, fusion = trained.metrics, trained.fusion
    weights = ", ".join(
        f"{metric} {weight:+.3f}" for metric, weight in zip(names, fusion.weight, strict=True)
    )
    facts = {"Weights": f"{weights} (standard deviations)"}
    reported = reported or _held_out(name, sets, seed)
    return save_metric(
        out,
        sets,
        lambda folder: None,
        card=card(
            f"{name}: text metrics weighted to match human ratings", facts, sets, reported.lines
        ),
        held=reported.parts,
        kind=NAME,
        name=name,
        summary=f"{', '.join(names)}, weighted to agree with people",
        paper=PAPER,
        trained=described(sets, seed, VERSION),
        options={"metrics": list(names), "fusion": asdict(fusion)},
    )


def _held_out(name: str, sets: Sequence[RatedSet], seed: int) -> Reported:
    """How a fit on four fifths of the videos did on the rest."""
    split = by_video(sets, np.random.default_rng([seed, 3]), HELD_OUT)
    part = learn_fusion(split.training)
    found = tuple(Fold.of(one.name, one, part.predict(one)) for one in split.test)
    return Reported(Trial(name, found).lines(), split.test)


def _columns(rated: RatedSet) -> Floats:
    return rated.found.numbers[:, : len(METRICS)]
