"""Metrics computed here, through the registry, as a table of scores."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from analysis.evaluation.captions import CaptionSet
from analysis.evaluation.scores import ScoreTable, score_table
from analysis.metrics.batch import Batch
from analysis.metrics.context import ScoringContext
from analysis.metrics.registry import Need, needs_of
from analysis.metrics.scoring import Scores, column, embed, embeddable, merged, score
from analysis.metrics.settings import Settings


class Scorer:
    """Some metrics with all they need to be computed again and again."""

    def __init__(
        self,
        metrics: Sequence[str],
        context: ScoringContext,
        settings: Settings | None = None,
        label: str = "",
    ) -> None:
        self.metrics = list(metrics)
        self.context = context
        self.settings = settings or Settings()
        self.label = label

    @property
    def columns(self) -> list[str]:
        """The names under which the metrics stand in tables."""
        return [column(name, self.label) for name in self.metrics]

    @contextmanager
    def passing(self) -> Iterator[None]:
        """While this lasts, texts are embedded for the moment only: shuffled captions would make
        the store many times as large."""
        with (
            tempfile.TemporaryDirectory(prefix="da-embeddings-") as folder,
            self.context.passing(Path(folder), needs_of(self.metrics)),
        ):
            yield

    def with_references(self) -> Scorer:
        """Only the metrics that look at references."""
        return self._only(lambda name: Need.REFERENCES in needs_of([name]))

    def without_references(self) -> Scorer:
        """Only the metrics that do without."""
        return self._only(lambda name: Need.REFERENCES not in needs_of([name]))

    def _only(self, kept: Callable[[str], bool]) -> Scorer:
        return Scorer(list(filter(kept, self.metrics)), self.context, self.settings, self.label)

    def batch(self, batch: Batch) -> Scores:
        unreadable = embed(
            embeddable(batch, self.metrics, self.settings), self.settings, self.context
        )
        found = score(batch, self.metrics, self.settings, self.context, unreadable)
        return found.labelled(self.label)

    def captions(
        self, captions: CaptionSet, sources: Collection[str] | None = None
    ) -> tuple[ScoreTable, dict[str, str]]:
        """Every metric for every caption, against the references of all sources or of some, and the
        signature of each metric. What cannot be computed is missing, and a note says why."""
        found = self.batch(captions.batch(sources))
        said = dict.fromkeys([*(str(fault) for fault in merged(found.faults)), *found.notes])
        table = score_table(
            captions.videos,
            captions.systems,
            found.values,
            texts=captions.texts,
            notes=[*captions.notes, *said],
            source="the captions",
        )
        return table, found.signatures
