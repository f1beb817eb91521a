"""`learn bertha`: a sentence model fine-tuned on people's ratings, with a head on top.

bertha-2022 trains BERT as a regressor on pairs of caption and reference. Here the two are embedded
apart, so that a caption is embedded once whatever it is compared with, and the head that compares
them sees the text metrics, too.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.learning.folder import card, described, save_metric
from analysis.learning.head import PAPER
from analysis.learning.rated import RatedSet
from analysis.learning.splits import Split, by_video
from analysis.learning.training import Fold, Told, TrainedHead, Trial, learn_head
from analysis.metrics.artifacts import Artifact
from analysis.metrics.batch import Values
from analysis.metrics.families.learned import BACKBONE, BERTHA, WEIGHTS
from analysis.metrics.registry import metric_libraries

if TYPE_CHECKING:
    from analysis.learning.checkpoints import Checkpoints
    from analysis.learning.fine_tuning import Curve, Siamese, Tuning

VERSION: Final = "bertha-1"
"""Raised when the same ratings would give another metric."""
SPLIT: Final = "split.json"


@dataclass(frozen=True, eq=False)
class TrainedBertha:
    """The model, the head it started with, and the curve on the videos that were held out."""

    model: Siamese
    start: TrainedHead
    curve: Curve
    split: Split
    checkpoints: Checkpoints

    def predict(self, rated: RatedSet) -> Values:
        return self.model.predict(rated)

    def lines(self) -> list[str]:
        """Tables for the card: every metric on the videos held out, and how training went there."""
        held = (Fold.of(one.name, one, self.predict(one)) for one in self.split.test)
        points = zip(self.curve.steps, self.curve.r, strict=True)
        return [
            *Trial(self.start.chosen, tuple(held)).lines(),
            "",
            "These videos were not learned from, but told when to stop; a set left out whole is "
            "the harder proof (`--leave-one-out`).",
            "",
            "| steps of fine-tuning | mean r |",
            "|---:|---:|",
            *(f"| {step} | {r:.3f} |" for step, r in points),
        ]


def learn_bertha(
    sets: Sequence[RatedSet],
    *,
    backbone: Path,
    tuning: Tuning,
    seed: int,
    out: Path,
    told: Told = lambda *_: None,
) -> TrainedBertha:
    """Learn a head, then fine-tune the model under it; a tenth of the videos tell when to stop."""
    with metric_libraries():
        from analysis.learning.checkpoints import Checkpoints, training_key
        from analysis.learning.fine_tuning import FineTuning, Siamese
    split = by_video(sets, np.random.default_rng([seed, 2]))
    start = learn_head(split.training, seed=seed)
    key = training_key(sets, asdict(tuning), seed, VERSION, str(backbone))
    checkpoints = Checkpoints(out, key)
    model = Siamese(backbone, start.head, tuning.layers)
    training = FineTuning(model, split.training, split.test, tuning, seed, checkpoints)
    return TrainedBertha(training.run(told), start, training.curve, split, checkpoints)


def save_bertha(
    out: Path,
    trained: TrainedBertha,
    sets: Sequence[RatedSet],
    *,
    name: str,
    seed: int,
    backbone: Path,
    signature: str,
    table: list[str] | None = None,
) -> Artifact:
    """The folder of a fine-tuned model; ``signature`` names the model of the text metrics.

    The checkpoint goes when the folder is there, and not before.
    """
    from analysis.metrics.learned.head import options_of, save_head

    def save(folder: Path) -> None:
        save_head(trained.model.head, folder / WEIGHTS)
        save_backbone(trained.model, backbone, folder / BACKBONE)
        held = {
            rated.name: sorted(set(map(str, rated.batch.videos))) for rated in trained.split.test
        }
        (folder / SPLIT).write_text(json.dumps({"held out": held}, indent=1, sort_keys=True) + "\n")

    curve = trained.curve
    best = curve.steps[int(np.argmax(curve.r))]
    facts = {
        "Backbone": backbone.name if backbone.name != "model" else backbone.parent.name,
        "Model of the text metrics": signature,
        "Head": trained.start.chosen,
        "Steps": f"{curve.steps[-1]}, the best state after {best}",
        "Seed": str(seed),
    }
    made = save_metric(
        out,
        sets,
        save,
        card=card(f"{name}: a metric learned from people", facts, sets, table or trained.lines()),
        kind=BERTHA,
        name=name,
        summary="a sentence model fine-tuned on people's ratings, with text metrics beside it",
        paper=PAPER,
        trained=f"{described(sets, seed, VERSION)}|steps:{curve.steps[-1]}",
        options=options_of(trained.model.head, signature),
    )
    trained.checkpoints.clear()
    return made


def save_backbone(model: Siamese, source: Path, folder: Path) -> None:
    """The model's own folder with other weights in it, readable by whoever read the first."""
    from safetensors.torch import save_file

    weights = [path.name for path in source.glob("*.safetensors*")]
    skipped = shutil.ignore_patterns(*weights, "*.bin", "*.md", ".*", "data_config.json")
    shutil.copytree(source, folder, ignore=skipped)
    state = model.backbone.state_dict()
    save_file(
        {name: value.contiguous().cpu() for name, value in state.items()},
        folder / "model.safetensors",
        metadata={"format": "pt"},
    )
