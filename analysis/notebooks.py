"""Rankings, scores and evaluations for notebooks: the numbers of the commands, as pandas tables.

Whatever a function reads may be the path of a file, in any format the command of the same purpose
takes, or a pandas DataFrame with the same columns. Nothing needs a database or Django's settings.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis import reading
from analysis.evaluation.captions import read_captions
from analysis.evaluation.files import TABLES as EVALUATION_TABLES
from analysis.evaluation.files import chosen_names as evaluation_names
from analysis.evaluation.files import evaluation_files
from analysis.evaluation.files import table as columns_of
from analysis.evaluation.human import HumanScores, human_scores, read_human
from analysis.evaluation.inputs import Inputs, read_metrics
from analysis.evaluation.pipeline import Evaluation, evaluate_metrics
from analysis.evaluation.scores import ScoreTable, score_table
from analysis.evaluation.scoring import Scorer
from analysis.evaluation.settings import Settings as EvaluationSettings
from analysis.metrics.batch import Batch, VideoFile
from analysis.metrics.config import MetricConfig
from analysis.metrics.encoding.encoder import IMAGE_TEXT
from analysis.metrics.encoding.models import DemoModelRefused, ModelChoice
from analysis.metrics.files import (
    Captions,
    are_demo_scenes,
    as_texts,
    find_videos,
    read_references,
    write_scores,
)
from analysis.metrics.judged import image_paths
from analysis.metrics.registry import needs_of
from analysis.metrics.scoring import Scores
from analysis.metrics.settings import Settings as MetricSettings
from analysis.presenting.exports import Table, ratings_table
from analysis.reading import RatingsFile
from analysis.results import pipeline
from analysis.results.files import (
    captions_table,
    chosen_names,
    known_names,
    result_files,
)
from analysis.results.folder import ResultFolder, write_files
from analysis.results.listings import captions_listing
from analysis.results.pipeline import summarise
from analysis.results.registry import Summary
from analysis.results.settings import Settings as RankingSettings
from analysis.stats.ratings import Ratings
from daplatform import places
from daplatform.tables import Faults

File = Path | str
Source = File | pd.DataFrame


@dataclass(frozen=True)
class RatingsTable:
    """Ratings as they were read and checked."""

    file: RatingsFile
    source: str = "a DataFrame"

    @property
    def notes(self) -> tuple[str, ...]:
        """What was converted or left out in reading."""
        return self.file.notes

    def to_pandas(self) -> pd.DataFrame:
        """One row per rating, in the platform's own columns."""
        return pd.DataFrame(ratings_table(self.file.ratings))


@dataclass(frozen=True)
class RankingResult:
    """A ranking of systems, with everything that led to it."""

    analysis: pipeline.Analysis
    notes: tuple[str, ...] = ()
    source: str = "a DataFrame"

    @property
    def signature(self) -> str:
        """Every choice and a hash of the data: two equal ones stand for equal numbers."""
        return str(self.analysis.signature)

    @cached_property
    def summary(self) -> Summary:
        """The numbers of every statistic of the ranking's page and report."""
        return summarise(self.analysis, notes=self.notes)

    def to_pandas(self, table: str = "systems") -> pd.DataFrame:
        """`systems` (the ranking), `captions`, `annotators` or `significance`."""
        made = self.summary.tables() | {"captions": self._captions}
        return pd.DataFrame(_one_of(made, table)())

    def save(self, folder: File, *, format: str = "csv", latex: bool = False) -> None:
        """Write what `daplatform analyse --out FOLDER` writes: every file, or none."""
        files = result_files(self.summary, self._captions, source=self.source)
        with ResultFolder(Path(folder), known_names()) as part:
            write_files(part, files, chosen_names(files, format=format, latex=latex))

    def _captions(self) -> Table:
        return captions_table(captions_listing(self.analysis))


@dataclass(frozen=True)
class ScoreResult:
    """What metrics say of captions."""

    captions: Captions
    scores: Scores

    @property
    def signatures(self) -> Mapping[str, str]:
        """How each metric was computed."""
        return self.scores.signatures

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be scored, and why."""
        return tuple(str(fault) for fault in self.scores.faults)

    def to_pandas(self) -> pd.DataFrame:
        """One row per caption: `video`, `system`, `caption`, and a column per metric."""
        told = {"video": self.captions.videos, "system": self.captions.systems}
        return pd.DataFrame({**told, "caption": self.captions.texts, **self.scores.values})

    def save(self, file: File) -> None:
        """Write what `daplatform score --out FILE` writes."""
        write_scores(Path(file), self.captions, self.scores)


@dataclass(frozen=True)
class EvaluationResult:
    """How well metrics agree with people."""

    evaluation: Evaluation

    @property
    def signature(self) -> str:
        return str(self.evaluation.signature)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before believing a number."""
        return self.evaluation.warnings

    def to_pandas(self, table: str = "correlations") -> pd.DataFrame:
        """`correlations`, or another table of the folder that `daplatform correlate` writes."""
        rows, columns = _one_of(EVALUATION_TABLES, table)
        return pd.DataFrame(columns_of(rows(self.evaluation), columns))

    def save(self, folder: File, *, format: str = "csv", latex: bool = False) -> None:
        """Write what `daplatform correlate --out FOLDER` writes, without robustness checks."""
        files = evaluation_files(self.evaluation)
        with ResultFolder(Path(folder), files) as part:
            write_files(part, files, evaluation_names(files, format=format, latex=latex))


def read_ratings(source: Source, *, hits: File | None = None) -> RatingsTable:
    """Read and check ratings.

    Parameters
    ----------
    source
        A file in any format of `daplatform analyse`, or a DataFrame with the columns `annotator`,
        `hit`, `system`, `item`, `kind`, `score` and `seconds`.
    hits
        The `hits.csv` that a Mechanical Turk batch result may need.

    Raises
    ------
    ValueError
        With the first faults and their lines.
    """
    if isinstance(source, pd.DataFrame):
        return RatingsTable(RatingsFile(Ratings.from_table(source), "DataFrame"))
    return RatingsTable(reading.read_ratings(source, hits=hits), Path(source).name)


def analyse(ratings: RatingsTable | Source, **choices: Any) -> RankingResult:
    """Quality control, standard scores and significance: the ranking of the systems.

    Parameters
    ----------
    ratings
        What `read_ratings` gives, or what it takes.
    choices
        Fields of `analysis.results.settings.Settings`: `alpha`, `test`, `keep_all_annotators`, …
    """
    table = ratings if isinstance(ratings, RatingsTable) else read_ratings(ratings)
    file = table.file
    found = pipeline.analyse(file.ratings, RankingSettings(**choices), file.evidence)
    return RankingResult(found, file.notes, table.source)


def score(
    captions: Source,
    references: Source | None = None,
    *,
    metrics: Sequence[str],
    videos: File | None = None,
    corpus: Source | None = None,
    model: str = "",
    weights: str = "",
    anyway: bool = False,
    device: str = "cpu",
    store: File | None = None,
    **settings: Any,
) -> ScoreResult:
    """Score captions with metrics.

    Parameters
    ----------
    captions
        With the columns `video`, `system` and `caption`.
    references
        With the columns `video`, `source` and `caption`.
    metrics
        Their names; `daplatform metrics` lists them with what each needs.
    videos
        The folder of the videos or images, for metrics that look at them.
    corpus
        References in which rare words are counted, if not those of these captions.
    model, weights
        The image–text model: an open_clip architecture or a folder, and its weights.
    anyway
        Let the demo model judge what it was not made for.
    store
        The folder in which embeddings are kept. Default: `METRIC_STORE`, or the user's own.
    settings
        Fields of `analysis.metrics.settings.Settings`.
    """
    told = _captions(captions)
    refs = {} if references is None else _references(references)
    idf = refs if corpus is None else _references(corpus)
    paths = {} if isinstance(captions, pd.DataFrame) else image_paths(Path(captions))
    found = find_videos(Path(videos), told.videos, paths) if videos is not None else {}
    files = {video: VideoFile.of(path) for video, path in found.items()}
    rendered = videos is not None and are_demo_scenes(Path(videos))
    config = MetricConfig(
        store=Path(store or os.environ.get("METRIC_STORE") or places.DATA / "embeddings"),
        model=ModelChoice(model, weights),
        rendered=rendered,
        device=device,
    )
    needs_model = IMAGE_TEXT.name in needs_of(metrics)
    if config.model.is_demo and needs_model and not (rendered or anyway):
        raise DemoModelRefused("pass anyway=True")
    scorer = Scorer(metrics, config.context(), MetricSettings(**settings))
    return ScoreResult(told, scorer.batch(Batch(told.texts, told.videos, refs, idf, files)))


def evaluate(
    human: RankingResult | Source,
    metrics: ScoreResult | Source | Sequence[File],
    *,
    annotators: Sequence[str] = ("passed",),
    shift: int | str | None = None,
    **choices: Any,
) -> EvaluationResult:
    """Hold metrics against people: correlations, tests between metrics, outliers, fusion.

    Parameters
    ----------
    human
        A ranking, whose caption scores are taken; or a table with `video`, `system` and columns of
        scores; or any file or folder that `daplatform correlate --human` takes.
    metrics
        What `score` gives; or tables of scores.
    annotators
        Whose ratings count, where `human` holds ratings: `passed`, `all`, or names.
    shift
        By how many lines scores and captions are apart; `"auto"` takes what the check finds.
    choices
        Fields of `analysis.evaluation.settings.Settings`.
    """
    settings = EvaluationSettings(**choices)
    inputs = _inputs(_human(human, annotators, settings.seed), metrics)
    joined, alignment, used = inputs.aligned(shift)
    found = evaluate_metrics(
        joined,
        settings,
        alignment=alignment,
        reliability=inputs.human.reliability,
        facts=inputs.facts(used),
    )
    return EvaluationResult(found)


def _captions(source: Source) -> Captions:
    if isinstance(source, pd.DataFrame):
        if {"start", "end", "part"} & set(source.columns):
            raise ValueError(
                "captions in parts (start, end, part) are scored by `daplatform score`"
            )
        videos, systems, texts = (_texts(source, name) for name in ("video", "system", "caption"))
        return Captions(videos, systems, texts)
    read = read_captions([Path(source)], None)
    return Captions(list(read.videos), list(read.systems), list(read.texts))


def _references(source: Source) -> Mapping[str, Sequence[str]]:
    if not isinstance(source, pd.DataFrame):
        faults = Faults()
        read = as_texts(read_references(Path(source), faults))
        faults.refuse()
        return read
    found: dict[str, list[str]] = {}
    for video, text in zip(_texts(source, "video"), _texts(source, "caption"), strict=True):
        found.setdefault(video, []).append(text)
    return found


def _human(source: RankingResult | Source, annotators: Sequence[str], seed: int) -> HumanScores:
    if isinstance(source, RankingResult):
        return human_scores(source.analysis, annotators, notes=source.notes)
    if isinstance(source, pd.DataFrame):
        return HumanScores(_scores(source, "the human scores"))
    return read_human(Path(source), annotators=annotators, seed=seed)


def _inputs(human: HumanScores, metrics: ScoreResult | Source | Sequence[File]) -> Inputs:
    if isinstance(metrics, ScoreResult):
        table = _scores(metrics.to_pandas(), "the metrics' scores")
        return Inputs(human, table, signatures=metrics.signatures)
    if isinstance(metrics, pd.DataFrame):
        return Inputs(human, _scores(metrics, "the metrics' scores"))
    paths = [metrics] if isinstance(metrics, str | Path) else metrics
    table, signatures = read_metrics([Path(path) for path in paths])
    return Inputs(human, table, signatures=signatures)


def _scores(frame: pd.DataFrame, source: str) -> ScoreTable:
    columns = frame.select_dtypes("number").columns
    return score_table(
        _texts(frame, "video"),
        _texts(frame, "system"),
        {str(name): np.asarray(frame[name], np.float64) for name in columns if name != "video"},
        texts=_texts(frame, "caption") if "caption" in frame.columns else None,
        source=source,
    )


def _texts(frame: pd.DataFrame, name: str) -> list[str]:
    if name not in frame.columns:
        raise ValueError(f"there is no column {name!r}; there are {', '.join(map(str, frame))}")
    return frame[name].astype(str).tolist()


def _one_of(tables: Mapping[str, Any], name: str) -> Any:
    if name not in tables:
        raise ValueError(f"there is no table {name!r}, only {', '.join(tables)}")
    return tables[name]
