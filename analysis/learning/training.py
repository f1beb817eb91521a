"""From rated captions to a head: features once, a recipe chosen, a network trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.learning.rated import Floats, RatedSet
from analysis.learning.splits import Split, folds
from analysis.metrics.batch import Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.sentence_model import SentenceModel
from analysis.metrics.learned.features import METRICS, features, joined
from analysis.metrics.registry import metric_libraries
from analysis.metrics.scoring import Progress, embed, embeddable
from analysis.metrics.settings import Settings
from analysis.stats.correlation import pearson

if TYPE_CHECKING:
    from analysis.metrics.learned.head import Head, Recipe

TRIAL_MEMBERS: Final = 2
TRIAL_STEPS: Final = 400
"""Enough to tell recipes apart; what is kept has more of both."""
LEARNED: Final = "learned"
TRYING: Final = "recipes tried on captions left out"
Predict = Callable[[RatedSet], Values]
Told = Callable[[int, int, float], None]
"""Hears of every step: its number, how many there are, and the loss."""
Learner = Callable[[Sequence[RatedSet]], Predict]


@dataclass(frozen=True)
class Fold:
    """Pearson's r with people of every metric on captions that were left out of training.

    Parameters
    ----------
    r : by metric; the learned one is called `LEARNED`
    """

    held: str
    r: Mapping[str, float]

    @classmethod
    def of(cls, held: str, test: RatedSet, predicted: Values) -> Fold:
        columns = {LEARNED: predicted, **test.found.metrics}
        # A metric may give every caption of a small set the same value, as BLEU-4 does with 0.
        varying = {name: values for name, values in columns.items() if np.ptp(values) > 0}
        r = {name: pearson(values, test.scores) for name, values in varying.items()}
        return cls(held, {name: r.get(name, float("nan")) for name in columns})


@dataclass(frozen=True)
class Trial:
    """A recipe on what it was not trained on."""

    recipe: str
    folds: tuple[Fold, ...]

    @property
    def mean(self) -> float:
        return self._mean(LEARNED)

    def _mean(self, metric: str) -> float:
        return float(np.mean([fold.r[metric] for fold in self.folds]))

    def lines(self) -> list[str]:
        """A table for the card: the learned metric beside every text metric, the best first."""
        held = " | ".join(fold.held for fold in self.folds)
        lines = [f"| r, left out: | {held} | mean |", f"|---|{'---:|' * (len(self.folds) + 1)}"]
        names = sorted(self.folds[0].r, key=lambda name: -np.nan_to_num(self._mean(name), nan=-2))
        for name in names:
            cells = [f"{r:.3f}" for r in (*(one.r[name] for one in self.folds), self._mean(name))]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        return lines


@dataclass(frozen=True, eq=False)
class TrainedHead:
    """A head, how it was made, and what each recipe did on captions it had not seen."""

    head: Head
    chosen: str
    tried: tuple[Trial, ...]

    @property
    def trial(self) -> Trial:
        return next(trial for trial in self.tried if trial.recipe == self.chosen)

    def predict(self, rated: RatedSet) -> Values:
        return self.head.predict(rated.found)


def with_features(
    sets: Sequence[RatedSet],
    context: ScoringContext,
    progress: Progress | None = None,
    own: SentenceModel | None = None,
) -> list[RatedSet]:
    """The sets with what a metric looks at; texts are embedded once and kept in the store.

    Parameters
    ----------
    own : the model of the embeddings, where it is another than that of the text metrics
    """
    settings, found = Settings(), []
    for rated in sets:
        embed(embeddable(rated.batch, METRICS, settings), settings, context, progress)
        if own is not None:
            own.texts().embed(rated.batch.texts())
        found.append(replace(rated, features=features(rated.batch, context, own)))
    return found


def learn_head(
    sets: Sequence[RatedSet],
    *,
    seed: int,
    members: int = 5,
    progress: Progress = lambda what, done, total: None,
    told: Told = lambda *_: None,
) -> TrainedHead:
    """Try every recipe on sets (or videos) left out, and train the best on all there is.

    The choice is made among the captions to learn from. Whoever holds the result against other
    captions therefore holds the choice against them, too.
    """
    with metric_libraries():
        from analysis.learning.head_training import RECIPES
    splits = folds(sets, np.random.default_rng([seed, 1]))
    tried: list[Trial] = []
    for name, recipe in RECIPES.items():
        progress(TRYING, len(tried), len(RECIPES))
        tried.append(_trial(name, splits, small(recipe), seed))
    progress(TRYING, len(tried), len(RECIPES))
    chosen = max(tried, key=lambda trial: trial.mean).recipe
    head = fit(sets, replace(RECIPES[chosen], members=members), seed, told)
    return TrainedHead(head, chosen, tuple(tried))


def small(recipe: Recipe) -> Recipe:
    """The recipe with less of everything that takes time."""
    return replace(recipe, members=TRIAL_MEMBERS, steps=TRIAL_STEPS)


def _trial(name: str, splits: Sequence[Split], recipe: Recipe, seed: int) -> Trial:
    found = []
    for split in splits:
        head = fit(split.training, recipe, seed)
        found += [Fold.of(split.held, test, head.predict(test.found)) for test in split.test]
    return Trial(name, tuple(found))


def fit(sets: Sequence[RatedSet], recipe: Recipe, seed: int, told: Told = lambda *_: None) -> Head:
    from analysis.learning.head_training import train_head

    scores, weights = targets(sets)
    found = joined([rated.found for rated in sets])
    return train_head(found, scores, weights, recipe, seed, told)


def targets(sets: Sequence[RatedSet]) -> tuple[Floats, Floats]:
    """What is learned, and how much each caption of it counts."""
    return (
        np.concatenate([rated.standardised for rated in sets]),
        np.concatenate([np.full(len(rated), rated.weight) for rated in sets]),
    )
