"""The kinds of metrics that learn from captions and references: each trained, each kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

from analysis.learning.bertha import TrainedBertha, learn_bertha, save_bertha
from analysis.learning.folder import Reported
from analysis.learning.fusion import TrainedFusion, learn_fusion, save_fusion
from analysis.learning.head import save_head_metric
from analysis.learning.rated import RatedSet
from analysis.learning.training import (
    Learned,
    Learner,
    Told,
    TrainedHead,
    fit_all,
    learn_head,
    recipes_named,
    small,
)
from analysis.metrics.artifacts import Artifact
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.sentence_model import SENTENCE, SentenceModel, find_sentence_model
from analysis.metrics.registry import metric_libraries
from analysis.metrics.scoring import Progress

LAYERS: Final = 2
"""Of a sentence model, that learn by default; with more, training takes longer."""
RATE: Final = 3e-5
"""Of a sentence model; the middle one of the three that BERT's authors name."""


@dataclass(frozen=True)
class Lesson:
    """What is to be learned.

    Parameters
    ----------
    name : of the metric in tables
    out : the folder to write
    backbone : a folder of a sentence model to fine-tune; by default that of the text metrics
    epochs, minutes : how long a sentence model is fine-tuned
    layers : how many of its last layers learn
    rate : how fast they do
    pairs : whether it reads caption and reference together
    recipes : of a head, by name; all of them without it
    told, progress : hear of every step of the training, and of what comes before it
    """

    name: str
    seed: int
    out: Path
    backbone: Path | None = None
    epochs: int = 1
    layers: int = LAYERS
    rate: float = RATE
    pairs: bool = False
    recipes: tuple[str, ...] = ()
    minutes: float = float("inf")
    told: Told = lambda *_: None
    progress: Progress = lambda what, done, total: None


@dataclass(frozen=True, eq=False)
class HeadKind:
    """A small network on text metrics and on the embeddings of caption and references."""

    context: ScoringContext
    lesson: Lesson
    summary: ClassVar[str] = "a small network on embeddings and text metrics"

    @property
    def own(self) -> SentenceModel | None:
        """A model to embed with beside that of the text metrics."""
        return None

    @property
    def signature(self) -> str:
        """Of the sentence model of the text metrics."""
        return str(self.context.resource(SENTENCE.name).signature)

    def train(self, sets: Sequence[RatedSet]) -> Any:
        """Something with ``predict``, which `save` takes."""
        lesson = self.lesson
        return learn_head(
            sets,
            seed=lesson.seed,
            recipes=recipes_named(lesson.recipes),
            progress=lesson.progress,
            told=lesson.told,
            known=self._known,
        )

    @cached_property
    def _known(self) -> dict[str, Any]:
        """Heads of trials, which a table needs twice."""
        return {}

    def save(
        self, trained: TrainedHead, sets: Sequence[RatedSet], reported: Reported | None = None
    ) -> Artifact:
        return save_head_metric(
            self.lesson.out,
            trained,
            sets,
            name=self.lesson.name,
            seed=self.lesson.seed,
            backbone=self.signature,
            reported=reported,
        )

    def quick(self, trained: TrainedHead) -> Learner | None:
        """The same with less of everything, to learn from parts of the ratings."""
        from analysis.metrics.learned.head import Heads

        recipes = [small(head.recipe) for head in trained.heads.heads]

        def learn(sets: Sequence[RatedSet]) -> Learned:
            heads = Heads(tuple(fit_all(sets, recipes, self.lesson.seed)))
            return Learned(lambda rated: heads.predict(rated.found))

        return learn

    def learner(self) -> Learner:
        """For the leave-one-set-out table: the whole procedure with all its choices."""

        def learn(sets: Sequence[RatedSet]) -> Learned:
            trained: TrainedHead = self.train(sets)
            return Learned(trained.predict, trained.chosen, trained.tried)

        return learn


class FusionKind(HeadKind):
    """Text metrics, weighed by least squares."""

    summary = "text metrics, weighted by least squares"

    def train(self, sets: Sequence[RatedSet]) -> Any:
        return learn_fusion(sets)

    def save(
        self,
        trained: TrainedFusion,  # type: ignore[override] # what its own training made
        sets: Sequence[RatedSet],
        reported: Reported | None = None,
    ) -> Artifact:
        lesson = self.lesson
        return save_fusion(
            lesson.out, trained, sets, name=lesson.name, seed=lesson.seed, reported=reported
        )

    def quick(self, trained: object) -> Learner | None:
        return self.learner()

    def learner(self) -> Learner:
        return lambda sets: Learned(learn_fusion(sets).predict)


class BerthaKind(HeadKind):
    """A sentence model fine-tuned, with a head on top."""

    summary = "a sentence model fine-tuned, with a head on top"

    @cached_property
    def backbone(self) -> Path:
        """By default the model that the text metrics have as well."""
        if self.lesson.backbone:
            return find_sentence_model(self.lesson.backbone)
        installed: SentenceModel = self.context.resource(SENTENCE.name)
        return installed.folder

    @property
    def own(self) -> SentenceModel | None:
        config = self.context.config
        if self.lesson.backbone is None or config is None:
            return None
        return SentenceModel(self.backbone, config.store)

    def train(self, sets: Sequence[RatedSet]) -> Any:
        with metric_libraries():
            from analysis.learning.fine_tuning import Tuning
        lesson = self.lesson
        return learn_bertha(
            sets,
            backbone=self.backbone,
            tuning=Tuning(
                epochs=lesson.epochs,
                layers=lesson.layers,
                rate=lesson.rate,
                minutes=lesson.minutes,
            ),
            seed=lesson.seed,
            out=lesson.out,
            pairs=lesson.pairs,
            told=lesson.told,
            progress=lesson.progress,
        )

    def save(
        self,
        trained: TrainedBertha,  # type: ignore[override] # what its own training made
        sets: Sequence[RatedSet],
        reported: Reported | None = None,
    ) -> Artifact:
        return save_bertha(
            self.lesson.out,
            trained,
            sets,
            name=self.lesson.name,
            seed=self.lesson.seed,
            backbone=self.backbone,
            signature=self.signature,
            reported=reported,
        )

    def quick(self, trained: object) -> Learner | None:
        """There is none: each part would take as long as all of it."""
        return None

    def learner(self) -> Learner:
        def learn(sets: Sequence[RatedSet]) -> Learned:
            trained: TrainedBertha = self.train(sets)
            trained.clear()
            steps = f"{trained.chosen}; {trained.curve.best} of {trained.curve.steps[-1]} steps"
            return Learned(trained.predict, steps)

        return learn


KINDS: Final[dict[str, type[HeadKind]]] = {
    "head": HeadKind,
    "fusion": FusionKind,
    "bertha": BerthaKind,
}
