"""Metrics computed here, through the registry, as a table of scores."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from analysis.meta.captions import CaptionSet
from analysis.meta.scores import ScoreTable, score_table
from analysis.metrics.batch import Batch
from analysis.metrics.registry import Need, families_of
from analysis.metrics.scoring import Scores, column, embed, embeddable, score
from analysis.metrics.settings import Settings
from analysis.metrics.workbench import Workbench


class Scorer:
    """Some metrics with all they need to be computed again and again."""

    def __init__(
        self,
        metrics: Sequence[str],
        bench: Workbench,
        settings: Settings | None = None,
        label: str = "",
    ) -> None:
        self.metrics = list(metrics)
        self.bench = bench
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
        bench = self.bench
        image_text, sentence = bench.image_text, bench.sentence
        with tempfile.TemporaryDirectory(prefix="da-embeddings-") as folder:
            bench.image_text = image_text and image_text.passing(Path(folder))
            bench.sentence = sentence and sentence.passing(Path(folder))
            try:
                yield
            finally:
                bench.image_text, bench.sentence = image_text, sentence

    def with_references(self) -> Scorer:
        """Only the metrics that look at references."""
        wanted = [
            name
            for family, names in families_of(self.metrics).items()
            if Need.REFERENCES in family.needs
            for name in names
        ]
        return Scorer(wanted, self.bench, self.settings, self.label)

    def batch(self, batch: Batch) -> Scores:
        unreadable = embed(
            embeddable(batch, self.metrics, self.settings), self.settings, self.bench
        )
        found = score(batch, self.metrics, self.settings, self.bench, unreadable)
        return found.labelled(self.label)

    def captions(
        self, captions: CaptionSet, sources: Collection[str] | None = None
    ) -> tuple[ScoreTable, dict[str, str]]:
        """Every metric for every caption, against the references of all sources or of some, and the
        signature of each metric. What cannot be computed is missing, and a note says why."""
        found = self.batch(captions.batch(sources))
        said = dict.fromkeys([*(str(fault) for fault in found.faults), *found.notes])
        table = score_table(
            captions.videos,
            captions.systems,
            found.values,
            texts=captions.texts,
            notes=[*captions.notes, *said],
            source="the captions",
        )
        return table, found.signatures
