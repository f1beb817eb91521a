"""From rated captions to a head: features once, a recipe chosen, a network trained."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from analysis.learning.rated import Floats, RatedSet
from analysis.learning.splits import Split, folds
from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.embeddings import key_of, write_whole
from analysis.metrics.encoding.sentence_model import SentenceModel
from analysis.metrics.learned.features import METRICS, VERSION, counted_of, features, joined
from analysis.metrics.registry import families_of, metric_libraries
from analysis.metrics.scoring import Progress, embed, embeddable
from analysis.metrics.settings import Settings
from analysis.metrics.signatures import signature
from analysis.stats.correlation import pearson

if TYPE_CHECKING:
    from analysis.metrics.learned.head import Head, Heads, Recipe

TRIAL_MEMBERS: Final = 2
TRIAL_STEPS: Final = 300
"""Enough to tell recipes apart; what is kept has more of both."""
MIXED: Final = 3
MIX: Final = "mean of"
LEARNED: Final = "learned"
NUMBERS_KEPT: Final = "numbers"
TRYING: Final = "recipes tried on captions left out"
Predict = Callable[[RatedSet], Values]
Told = Callable[[int, int, float], None]
"""Hears of every step: its number, how many there are, and the loss."""


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
class Learned:
    """What a training gives: how it scores, and what it chose among, on what it learned from."""

    predict: Predict
    chosen: str = ""
    tried: tuple[Trial, ...] = ()


Learner = Callable[[Sequence[RatedSet]], Learned]


@dataclass(frozen=True, eq=False)
class TrainedHead:
    """Heads whose mean is the metric, and what each recipe did on captions it had not seen.

    Parameters
    ----------
    choosing : what was held out in turn to choose a recipe by
    """

    heads: Heads
    chosen: str
    tried: tuple[Trial, ...]
    choosing: Mapping[str, Sequence[RatedSet]]

    @property
    def trial(self) -> Trial:
        return next(trial for trial in self.tried if trial.recipe == self.chosen)

    def predict(self, rated: RatedSet) -> Values:
        return self.heads.predict(rated.found)

    def recipes(self) -> list[str]:
        """A table for the card: every recipe that was tried, the best first."""
        ordered = sorted(self.tried, key=lambda trial: -np.nan_to_num(trial.mean, nan=-2))
        rows = [f"| {trial.recipe} | {trial.mean:.3f} |" for trial in ordered]
        return ["| recipe tried | mean r, left out |", "|---|---:|", *rows]


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
        counted = _kept_numbers(rated.batch, context)
        found.append(replace(rated, features=features(rated.batch, context, own, counted)))
    return found


def _kept_numbers(batch: Batch, context: ScoringContext) -> Floats:
    """The numbers of a set, kept in the store beside the embeddings: METEOR and BERTScore take
    longer than training does. What cannot be read is computed again."""
    if context.config is None:
        return counted_of(batch, context)
    path = context.config.store / NUMBERS_KEPT / f"{_key(batch, context)}.npy"
    try:
        kept: Floats = np.load(path)
    except (OSError, ValueError, EOFError):
        kept = counted_of(batch, context)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, lambda file: np.save(file, kept))
    return kept


def _key(batch: Batch, context: ScoringContext) -> str:
    """Of the texts, and of how every metric is computed."""
    settings = Settings()
    signed = [
        signature(name, family, batch, settings, context)
        for family, names in families_of(METRICS).items()
        for name in names
    ]
    told = (text for video in dict.fromkeys(batch.videos) for text in batch.references[video])
    return key_of(str(VERSION), *signed, *batch.captions, *batch.videos, *told)


def learn_head(
    sets: Sequence[RatedSet],
    *,
    seed: int,
    recipes: Mapping[str, Recipe] | None = None,
    progress: Progress = lambda what, done, total: None,
    told: Told = lambda *_: None,
    known: dict[str, Head] | None = None,
) -> TrainedHead:
    """Try every recipe on sets (or videos) left out, and train the best on all there is.

    The choice is made among the captions to learn from. Whoever holds the result against other
    captions therefore holds the choice against them, too.

    Parameters
    ----------
    recipes : to choose from; those of `head_training` without it. Where there are several, the mean
        of the best of them is one more choice
    known : heads of earlier trials by what they learned from: in a leave-one-out table every pair
        of sets is left out twice
    """
    with metric_libraries():
        from analysis.learning.head_training import recipes_for
        from analysis.metrics.learned.head import Heads
    choices = recipes_for(sum(map(len, sets))) if recipes is None else recipes
    splits = folds(sets, np.random.default_rng([seed, 1]))
    found = _try(choices, splits, seed, progress, {} if known is None else known)
    tried = [_trial(name, splits, predicted) for name, predicted in found.items()]
    best = [one.recipe for one in sorted(tried, key=_first)][:MIXED]
    if recipes is None and len(best) == MIXED:
        mixed = [np.mean([found[name][at] for name in best], axis=0) for at in range(len(splits))]
        tried.append(_trial(f"{MIX} {'; '.join(best)}", splits, mixed))
    chosen = min(tried, key=_first).recipe
    names = best if chosen.startswith(MIX) else [chosen]
    heads = fit_all(sets, [full(choices[name], len(names)) for name in names], seed, told)
    choosing = {split.held: split.test for split in splits}
    return TrainedHead(Heads(tuple(heads)), chosen, tuple(tried), choosing)


def recipes_named(names: Sequence[str]) -> Mapping[str, Recipe] | None:
    """Some of the recipes; None for all of them, where none is named."""
    with metric_libraries():
        from analysis.learning.head_training import RECIPES
    unknown = [name for name in names if name not in RECIPES]
    if unknown:
        raise ValueError(f"there is no recipe {unknown[0]!r}, only: {'; '.join(RECIPES)}")
    return {name: RECIPES[name] for name in names} or None


def _first(trial: Trial) -> float:
    return -float(np.nan_to_num(trial.mean, nan=-2))


def small(recipe: Recipe) -> Recipe:
    """The recipe with less of everything that takes time."""
    return replace(recipe, members=TRIAL_MEMBERS, steps=min(TRIAL_STEPS, recipe.steps))


def full(recipe: Recipe, mixed: int) -> Recipe:
    """The recipe as it is kept; of several that are averaged each has fewer networks."""
    return replace(recipe, members=max(recipe.members // mixed, TRIAL_MEMBERS))


def _try(
    recipes: Mapping[str, Recipe],
    splits: Sequence[Split],
    seed: int,
    progress: Progress,
    known: dict[str, Head],
) -> dict[str, list[Values]]:
    """What every recipe says of what each split leaves out."""
    from analysis.learning.checkpoints import training_key

    jobs = {
        (name, at): training_key(split.training, asdict(small(recipe)), seed)
        for name, recipe in recipes.items()
        for at, split in enumerate(splits)
    }
    wanted = {key: pair for pair, key in jobs.items() if key not in known}
    with _side_by_side() as start:
        begun = {
            key: start(fit, splits[at].training, small(recipes[name]), seed)
            for key, (name, at) in wanted.items()
        }
        for done, (key, future) in enumerate(begun.items()):
            progress(TRYING, done, len(begun))
            known[key] = future.result()
    progress(TRYING, len(begun), len(begun))
    return {
        name: [
            np.concatenate([known[jobs[name, at]].predict(one.found) for one in split.test])
            for at, split in enumerate(splits)
        ]
        for name in recipes
    }


def _trial(name: str, splits: Sequence[Split], predicted: Sequence[Values]) -> Trial:
    found = []
    for split, values in zip(splits, predicted, strict=True):
        ends = np.cumsum([len(one) for one in split.test])[:-1]
        parts = zip(split.test, np.split(values, ends), strict=True)
        found += [Fold.of(split.held, one, part) for one, part in parts]
    return Trial(name, tuple(found))


def fit_all(
    sets: Sequence[RatedSet], recipes: Sequence[Recipe], seed: int, told: Told = lambda *_: None
) -> list[Head]:
    """A head for each recipe; the first is told of."""
    with _side_by_side() as start:
        others = [start(fit, sets, recipe, seed) for recipe in recipes[1:]]
        return [fit(sets, recipes[0], seed, told), *(future.result() for future in others)]


@contextmanager
def _side_by_side() -> Iterator[Callable[..., Future[Head]]]:
    """Heads are small: each is trained on one processor, and as many at once as there are. Every
    one has random numbers of its own, so that the order does not matter."""
    from analysis.learning.head_training import alone, one_thread

    with one_thread():
        pool = ThreadPoolExecutor(os.cpu_count() or 1, initializer=alone)
        try:
            yield pool.submit
        finally:
            pool.shutdown(cancel_futures=True)


def fit(sets: Sequence[RatedSet], recipe: Recipe, seed: int, told: Told = lambda *_: None) -> Head:
    from analysis.learning.head_training import train_head

    found = joined([rated.found for rated in sets])
    return train_head(found, aim_of(sets, recipe.by_count), recipe, seed, told)


@dataclass(frozen=True, eq=False)
class Aim:
    """What is learned: people's scores, how much each counts, and the number of its video."""

    scores: Floats
    weights: Floats
    videos: NDArray[np.int64]


def aim_of(sets: Sequence[RatedSet], by_count: bool = False) -> Aim:
    places = [f"{at} {video}" for at, one in enumerate(sets) for video in one.batch.videos]
    return Aim(
        np.concatenate([rated.standardised for rated in sets]),
        np.concatenate([rated.weights(by_count) for rated in sets]),
        np.unique(places, return_inverse=True)[1],
    )


def improves(r: float, earlier: Sequence[float]) -> bool:
    """Whether it is the best so far; where nothing varied r is not defined, and anything is better.

    >>> improves(0.1, [float("nan")]), improves(0.1, [0.2]), improves(0.1, [])
    (True, False, True)
    """
    return all(np.isnan(one) or r > one for one in earlier)
