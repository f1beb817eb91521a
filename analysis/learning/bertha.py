"""`learn bertha`: a sentence model fine-tuned on people's ratings, with a head on top.

bertha-2022 trains BERT as a regressor on pairs of caption and reference, which is `--pairs`. By
default the two are embedded apart, so that a caption is embedded once whatever it is compared with,
and the head that compares them sees the text metrics, too.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.learning.folder import STOPPING, Reported, card, described, save_metric
from analysis.learning.head import PAPER
from analysis.learning.rated import RatedSet
from analysis.learning.splits import Split, by_video
from analysis.learning.training import (
    Fold,
    Told,
    TrainedHead,
    Trial,
    fit_all,
    learn_head,
    recipes_named,
)
from analysis.metrics.artifacts import Artifact, read_artifact
from analysis.metrics.batch import Values
from analysis.metrics.families.learned import BACKBONE, BERTHA, PAIRS, WEIGHTS
from analysis.metrics.registry import metric_libraries
from analysis.metrics.scoring import Progress

if TYPE_CHECKING:
    from analysis.learning.checkpoints import Checkpoints
    from analysis.learning.fine_tuning import Curve, FineTuning, Pairs, Siamese, Tuning

VERSION: Final = "bertha-3"
"""Raised when the same ratings would give another metric."""
SUMMARIES: Final = (
    "a sentence model fine-tuned on people's ratings, with text metrics beside it",
    "a model that reads caption and reference together, fine-tuned on people's ratings",
)
STARTS: Final = ("embeddings", "embeddings, attention")
"""Recipes of the head that fine-tuning begins with; the caption alone is learned by the model."""
PAIRS_OF: Final = "caption and reference in one sequence"


@dataclass(frozen=True, eq=False)
class TrainedBertha:
    """The model, what it started with, and how it did on videos held out before it saw all.

    Parameters
    ----------
    model : trained on all videos, for as long as was best on those held out
    held : every metric on the videos held out, by the model that had not seen them
    checkpoints : of both trainings
    """

    model: Siamese | Pairs
    chosen: str
    curve: Curve
    split: Split
    held: tuple[Fold, ...]
    checkpoints: tuple[Checkpoints, ...]

    def predict(self, rated: RatedSet) -> Values:
        return self.model.predict(rated)

    def clear(self) -> None:
        for one in self.checkpoints:
            one.clear()

    def lines(self) -> list[str]:
        """Tables for the card: every metric on the videos held out, and how training went there."""
        points = zip(self.curve.steps, self.curve.r, strict=True)
        return [
            *Trial(self.chosen, self.held).lines(),
            "",
            "These videos decided when to stop, and the metric was then also trained on them; "
            "leaving out a whole set is the harder test (`--leave-one-out`).",
            "",
            "| steps of fine-tuning | mean r |",
            "|---:|---:|",
            *(f"| {step} | {r:.3f} |" for step, r in points),
        ]


@dataclass(frozen=True)
class Bertha:
    """A training in two parts: on nine tenths of the videos, to learn when to stop, then on all.

    Parameters
    ----------
    pairs : caption and reference in one sequence, without text metrics, as bertha-2022 has it
    """

    backbone: Path
    tuning: Tuning
    seed: int
    out: Path
    pairs: bool = False
    told: Told = lambda *_: None
    progress: Progress = lambda what, done, total: None

    def learn(self, sets: Sequence[RatedSet]) -> TrainedBertha:
        split = by_video(sets, np.random.default_rng([self.seed, 2]))
        begun = None if self.pairs else self._start(split.training)
        first, saved = self._tune(sets, split.training, split.test, begun)
        model = first.run(self.told)
        held = tuple(Fold.of(one.name, one, model.predict(one)) for one in split.test)
        chosen = begun.chosen if begun else PAIRS_OF
        whole, saved_whole = self._tune(sets, sets, (), self._again(sets, begun), first)
        return TrainedBertha(
            whole.run(self.told), chosen, first.curve, split, held, (saved, saved_whole)
        )

    def _start(self, training: Sequence[RatedSet]) -> TrainedHead:
        """A head that looks at the embeddings: without, there is nothing to fine-tune."""
        return learn_head(
            training, seed=self.seed, recipes=recipes_named(STARTS), progress=self.progress
        )

    def _again(self, sets: Sequence[RatedSet], begun: TrainedHead | None) -> TrainedHead | None:
        """The same head, learned from all videos."""
        if begun is None:
            return None
        from analysis.metrics.learned.head import Heads

        recipes = [head.recipe for head in begun.heads.heads]
        return replace(begun, heads=Heads(tuple(fit_all(sets, recipes, self.seed))))

    def _tune(
        self,
        sets: Sequence[RatedSet],
        training: Sequence[RatedSet],
        test: Sequence[RatedSet],
        begun: TrainedHead | None,
        first: FineTuning | None = None,
    ) -> tuple[FineTuning, Checkpoints]:
        """``first`` : the part of the training that tells how long this one is to be."""
        from analysis.learning.checkpoints import Checkpoints, training_key
        from analysis.learning.fine_tuning import FineTuning, Pairs, Siamese

        layers = self.tuning.layers
        model = (
            Siamese(self.backbone, begun.heads.heads[0], layers)
            if begun
            else Pairs(self.backbone, layers)
        )
        part = "all" if first else "part"
        last = None if first is None else first.curve.best
        how = (asdict(self.tuning), self.seed, VERSION, str(self.backbone), self.pairs, part, last)
        out = self.out.with_name(f"{self.out.name}-{part}")
        checkpoints = Checkpoints(out, training_key(sets, *how))
        tuning = replace(self.tuning, minutes=self.tuning.minutes / 2)
        tuned = FineTuning(model, training, test, tuning, self.seed, checkpoints, last)
        return tuned, checkpoints


def learn_bertha(sets: Sequence[RatedSet], **how: Any) -> TrainedBertha:
    """Learn a head, then fine-tune the model under it, or a model of pairs: see `Bertha`."""
    with metric_libraries():
        import analysis.learning.fine_tuning  # noqa: F401 # with the libraries that it needs
    return Bertha(**how).learn(sets)


def save_bertha(
    out: Path,
    trained: TrainedBertha,
    sets: Sequence[RatedSet],
    *,
    name: str,
    seed: int,
    backbone: Path,
    signature: str,
    reported: Reported | None = None,
) -> Artifact:
    """The folder of a fine-tuned model; ``signature`` names the model of the text metrics.

    The checkpoint goes when the folder is there, and not before. Of several processes that train
    together one writes, and the others wait for it.
    """
    from accelerate import Accelerator

    from analysis.learning.fine_tuning import Pairs
    from analysis.metrics.learned.head import Heads, options_of, save_heads

    model = trained.model
    paired = isinstance(model, Pairs)
    options: dict[str, Any] = {"backbone": signature}
    if not isinstance(model, Pairs):
        options = options_of(Heads((model.head,)), signature)

    def save(folder: Path) -> None:
        if isinstance(model, Pairs):
            model.save_head(folder / WEIGHTS)
        else:
            save_heads(Heads((model.head,)), folder / WEIGHTS)
        save_backbone(model, backbone, folder / BACKBONE)

    curve = trained.curve
    facts = {
        "Backbone": backbone.name if backbone.name != "model" else backbone.parent.name,
        "Model of the text metrics": signature,
        "How": trained.chosen,
        "Steps": f"{curve.best} on all videos, the best of {curve.steps[-1]} on those left out",
        "Seed": str(seed),
    }
    together = Accelerator()
    if not together.is_main_process:
        together.wait_for_everyone()
        return read_artifact(out)
    made = save_metric(
        out,
        sets,
        save,
        held={STOPPING: trained.split.test, **(reported.parts if reported else {})},
        card=card(
            f"{name}: a metric learned from people",
            facts,
            sets,
            reported.lines if reported else trained.lines(),
        ),
        kind=PAIRS if paired else BERTHA,
        name=name,
        summary=SUMMARIES[paired],
        paper=PAPER,
        trained=f"{described(sets, seed, VERSION)}|steps:{curve.best}",
        options=options,
    )
    trained.clear()
    together.wait_for_everyone()
    return made


def save_backbone(model: Siamese | Pairs, source: Path, folder: Path) -> None:
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
