"""A metric learned from four fifths of the videos of a set, and held against the last fifth.

The fifth is never learned from. So whoever evaluates the metric later on the same ratings has
captions left that it has not seen.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from analysis.learning.folder import Reported
from analysis.learning.held_out import Compared, HeldOut, Part
from analysis.learning.kinds import HeadKind
from analysis.learning.left_out import LeftOut, held_against
from analysis.learning.rated import RatedSet
from analysis.learning.splits import Split, by_video
from analysis.learning.training import Learner
from analysis.metrics.artifacts import Artifact
from analysis.metrics.scoring import Progress
from analysis.stats.correlation import pearson

SHARE: Final = 0.2
PARTS: Final = (0.1, 0.2, 0.5, 1.0)
"""Of the ratings: how much better the metric is with more of them."""
DRAWS: Final = 2
"""Parts drawn of each size; their mean is told, because small parts differ much."""
LEARNING: Final = "parts of the ratings learned from"


def learn_held_out(kind: HeadKind, rated: RatedSet, progress: Progress) -> tuple[Artifact, HeldOut]:
    """Learn, write the folder, and tell how it does on the videos held out.

    Raises
    ------
    ValueError
        When there are too few videos to hold some out.
    """
    lesson = kind.lesson
    split = by_video([rated], np.random.default_rng([lesson.seed, 6]), SHARE)
    trained = kind.train(split.training)
    [test] = split.test
    left = held_against(split, test, lesson.name, trained.predict(test))
    parts = learning_curve(split, kind.quick(trained), lesson.seed, progress)
    found = HeldOut(
        lesson.name,
        len(test),
        len(set(test.batch.videos)),
        left.trained,
        left.dropped,
        _compared(left),
        parts,
    )
    return kind.save(trained, split.training, Reported(found.lines(), split.test)), found


def _compared(left: LeftOut) -> tuple[Compared, ...]:
    rows = [
        Compared(
            metric,
            pearson=float(left.caption["pearson"][at]),
            spearman=float(left.caption["spearman"][at]),
            kendall_b=float(left.caption["kendall_b"][at]),
            p=float(left.p[at]) if at else float("nan"),
        )
        for at, metric in enumerate(left.metrics)
    ]
    return (rows[0], *sorted(rows[1:], key=lambda row: -np.nan_to_num(row.pearson, nan=-2)))


def learning_curve(
    split: Split, learner: Learner | None, seed: int, progress: Progress
) -> tuple[Part, ...]:
    """How well the metric does with parts of the videos to learn from."""
    if learner is None:
        return ()
    [training], [test] = split.training, split.test
    found, done, total = [], 0, DRAWS * (len(PARTS) - 1) + 1
    for place, share in enumerate(PARTS):
        draws = DRAWS if share < 1 else 1
        taken = []
        for draw in range(draws):
            progress(LEARNING, done, total)
            part = _part(training, share, np.random.default_rng([seed, 7, place, draw]))
            taken.append((len(part), pearson(learner([part]).predict(test), test.scores)))
            done += 1
        sizes, r = zip(*taken, strict=True)
        found.append(Part(share, round(float(np.mean(sizes))), float(np.mean(r))))
    progress(LEARNING, total, total)
    return tuple(found)


def _part(rated: RatedSet, share: float, rng: np.random.Generator) -> RatedSet:
    """All captions of a share of the videos, as if no more had been rated."""
    videos = sorted(set(rated.batch.videos))
    kept = set(rng.permutation(videos)[: max(round(share * len(videos)), 2)].tolist())
    rows = [row for row, video in enumerate(rated.batch.videos) if video in kept]
    return rated.take(np.array(rows, dtype=np.intp))
