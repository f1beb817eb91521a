"""All that an evaluation starts from, whatever files it came in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from analysis.evaluation import evalset, trecvid
from analysis.evaluation.alignment import SHIFTS, Alignment, check_alignment
from analysis.evaluation.captions import CaptionSet, judged_captions, read_captions
from analysis.evaluation.human import HumanScores, read_human
from analysis.evaluation.joining import Joined, join, line_numbers, shifted
from analysis.evaluation.reading import read_scores
from analysis.evaluation.scores import ScoreTable, beside_each_other, captions_have
from analysis.evaluation.scoring import Scorer
from analysis.metrics.batch import Batch, VideoFile
from analysis.metrics.context import ScoringContext
from analysis.metrics.files import as_texts, find_videos, read_references
from analysis.metrics.judged import image_paths, is_judged
from analysis.metrics.learned.training_list import TrainingList, digest, trained_on
from analysis.metrics.registry import families_of
from analysis.metrics.settings import Settings
from analysis.metrics.signatures import differences, own_settings
from analysis.presenting.sentences import listed
from analysis.results.settings import Settings as Rules
from daplatform.tables import Faults

AUTO = "auto"
MOST_DECIMALS = 15
_NOTHING = Batch([], [], {}, {})


class Misaligned(ValueError):
    """Scores and captions belong together, but not as their rows are numbered."""

    def __init__(self, message: str, shift: int) -> None:
        super().__init__(message)
        self.shift = shift


@dataclass(frozen=True, eq=False)
class Inputs:
    """Human and metric scores; captions, where metrics can be computed of them again."""

    human: HumanScores
    metrics: ScoreTable
    captions: CaptionSet | None = None
    signatures: Mapping[str, str] = field(default_factory=dict)
    decimals: int | None = None
    """To which scores of metrics were rounded."""

    def rounded(self, decimals: int | None) -> Inputs:
        """As a paper may have done that passed its scores on in so many decimals."""
        if decimals is None:
            return self
        if not 0 <= decimals <= MOST_DECIMALS:
            raise ValueError(f"--decimals takes 0 to {MOST_DECIMALS}, not {decimals}")
        table = replace(self.metrics, frame=self.metrics.frame.round(decimals))
        return replace(self, metrics=table, decimals=decimals)

    def chosen(
        self,
        *,
        scores: Sequence[str] = (),
        metrics: Sequence[str] = (),
        systems: Sequence[str] = (),
        without: Sequence[str] = (),
    ) -> Inputs:
        """Some of the columns and systems; nothing named means all."""
        people, found = self.human.table, self.metrics
        people = people.only(scores) if scores else people
        found = found.only(metrics) if metrics else found
        people = people.of_systems(systems) if systems else people
        people = people.without_systems(without) if without else people
        kept = [name for name in found.systems if name in people.systems]
        if kept and (systems or without):
            found = found.of_systems(kept)
        return replace(self, human=replace(self.human, table=people), metrics=found)

    def without_references(self) -> Inputs:
        """Without captions whose text stands among the references of their own video: against it,
        any metric that reads references is perfect."""
        if self.captions is None or not self.captions.references:
            raise ValueError(
                "Captions among the references can only be found with both: name --captions and "
                "--references."
            )
        own = self.captions.among_references()
        copies = [key for key, same in zip(self.captions.keys, own, strict=True) if same]
        human, metrics = (
            table.where(~table.frame.index.isin(copies))
            for table in (self.human.table, self.metrics)
        )
        lost = len(self.human.table.frame) - len(human.frame)
        note = f"{lost:,} rows of human scores belong to captions among the references; left out"
        kept = [row for row, same in enumerate(own) if not same]
        human = replace(human, notes=(*human.notes, note)) if lost else human
        return replace(
            self,
            human=replace(self.human, table=human),
            metrics=metrics,
            captions=self.captions.take(kept),
        )

    def mixed(self, names: Sequence[str]) -> Inputs:
        """With metrics that are computed from those there are, each by its name."""
        table = self.metrics
        for family in families_of(names):
            told = [name for name in family.metrics if name in table.names]
            if told:
                raise ValueError(
                    f"the scores already contain a metric {told[0]!r}: leave out its column "
                    "(--only), or --learned"
                )
            values = {name: np.asarray(table.frame[name], np.float64) for name in table.names}
            table = table.with_columns(
                family.score(_NOTHING, Settings(), ScoringContext(values=values))
            )
            if family.trained is None:
                table = replace(table, notes=(*table.notes, _unknown(list(family.metrics))))
        return replace(self, metrics=table)

    @property
    def rounding(self) -> dict[str, str]:
        return {} if self.decimals is None else {"decimals": str(self.decimals)}

    def facts(self, shift: int) -> dict[str, str]:
        """What decided the numbers besides scores and settings, to be signed."""
        # The bars inside a metric's signature would part this one.
        signed = [text.replace("|", ",") for text in self.signatures.values()]
        return {
            "shift": str(shift),
            "annotators": self.human.annotators,
            **self.human.rules,
            **({"cutoff": self.human.cutoff} if self.human.cutoff else {}),
            "metrics": " ".join(signed) or "as in the file",
            **self.rounding,
        }

    def aligned(self, shift: int | str | None) -> tuple[Joined, Alignment, int]:
        """The rows joined, what the alignment check found, and the shift that was used.

        Raises
        ------
        Misaligned
            When no shift was accepted and one is clearly better than none.
        """
        from analysis.evaluation.sentences import misaligned_sentence

        alignment = check_alignment(self.human.table, self.metrics)
        found = alignment.found or 0
        if shift is None and found:
            raise Misaligned(misaligned_sentence(alignment), found)
        used = found if shift == AUTO else int(shift or 0)
        texts = self.captions.text_series() if self.captions else None
        kept = {name: made for name, made in self.signatures.items() if name in self.metrics.names}
        metrics = replace(self.metrics, notes=(*self.metrics.notes, *differences(kept)))
        joined = join(self.human.table, metrics, texts=texts, shift=used)
        labels = {name: f"{name} ({own})" for name, own in own_settings(kept).items() if own}
        joined = replace(joined, labels=labels, references=self._known_by(joined.videos))
        return joined, alignment, used

    def _known_by(self, videos: Sequence[str]) -> dict[str, tuple[str, ...]]:
        told = self.captions.references if self.captions else {}
        return {
            video: tuple(map(digest, told[video].values()))
            for video in dict.fromkeys(videos)
            if video in told
        }


def read_inputs(
    human: Path,
    *,
    metrics: Sequence[Path] = (),
    captions: Sequence[Path] = (),
    references: Path | None = None,
    whole: Path | None = None,
    videos: Path | None = None,
    corpus: Path | None = None,
    annotators: Sequence[str],
    scorer: Scorer | None = None,
    seed: int = 7,
    pair: str | None = None,
    ratings: bool = False,
    learned: Sequence[str] = (),
    only: Sequence[str] = (),
    rules: Rules | None = None,
) -> Inputs:
    """Read what was named; metrics come from a file of scores, or the scorer computes them.

    Parameters
    ----------
    learned : trained metrics that are mixed of the others later on
    only : the metrics of a file that count, where not all do
    rules : of quality control, where people's scores come as ratings
    """
    people = read_human(
        human, annotators=annotators, seed=seed, pair=pair, ratings=ratings, rules=rules
    )
    texts = _captions(human, captions, references, whole) or people.texts
    if texts is not None:
        near = _near(texts, people.table)
        looked_at = [texts.videos[row] for row in near]
        texts = _with_material(texts, looked_at, videos, corpus, image_paths(human))
    if metrics:
        table, signatures = read_metrics(metrics)
        lists = trained_on(learned) | {
            name: one for name, one in read_trained(metrics).items() if not only or name in only
        }
        fresh, table = _fresh(texts, table, lists)
        return Inputs(people, table, fresh, signatures)
    computes = scorer is not None and bool(scorer.metrics)
    if not computes and evalset.is_evalset(human):
        return Inputs(people, evalset.read_metrics(human, pair), texts)
    if scorer is None or not computes:
        raise ValueError(
            "There are no metrics: name a file of scores (--metrics), or metrics to compute from "
            "captions (--compute, --learned)."
        )
    if texts is None:
        raise ValueError(
            "Metrics are computed from captions: name these (--captions) and their references "
            "(--references)."
        )
    rated = texts.take(near)
    config = scorer.context.config
    model = config.model.model if config else ""
    fresh = unseen(rated, trained_on([*scorer.metrics, *learned], model))
    table, signatures = scorer.captions(fresh)
    return Inputs(people, table, texts if fresh is rated else fresh, signatures)


def _unknown(names: Sequence[str]) -> str:
    return (
        f"which captions {listed(names)} was fitted on is not known: if they are among these, its "
        "correlation with people is too high"
    )


def _near(captions: CaptionSet, people: ScoreTable) -> list[int]:
    """Captions people scored, at any shift: models are slow, and most captions may be unrated."""
    rated = [people.frame.index]
    if line_numbers(people.frame.index) is not None:
        rated = [shifted(people.frame, shift).index for shift in SHIFTS]
    wanted = {key for index in rated for key in index}
    keys = zip(captions.videos, captions.systems, strict=True)
    near = [row for row, key in enumerate(keys) if key in wanted]
    return near or list(range(len(captions)))  # joining says that nothing fits, with examples


def _fresh(
    texts: CaptionSet | None, table: ScoreTable, lists: Mapping[str, TrainingList]
) -> tuple[CaptionSet | None, ScoreTable]:
    """Captions and scores of a file without what its metrics were trained on."""
    if not lists:
        return texts, table
    if texts is None:
        raise ValueError(
            f"{next(iter(lists))} was trained on captions, and without texts it is not known "
            "which of these it has seen: name --captions and --references, or leave it out (--only)"
        )
    fresh = unseen(texts, lists)
    kept = table.where(table.frame.index.isin(list(fresh.keys)))
    return fresh, replace(kept, notes=(*kept.notes, *fresh.notes[len(texts.notes) :]))


def read_trained(paths: Sequence[Path]) -> dict[str, TrainingList]:
    """What the metrics of files were trained on, where `manage.py score` wrote it beside them."""
    return {
        str(name): TrainingList.of_lists(lists)
        for path in paths
        for name, lists in _beside(path).get("trained_on", {}).items()
    }


def unseen(captions: CaptionSet, lists: Mapping[str, TrainingList]) -> CaptionSet:
    """Without the captions and videos that a trained metric has learned from: on them it would be
    judged by what it remembers. They are left out for every metric, so that all are compared on
    the same captions."""
    batch = captions.batch()
    for one in dict.fromkeys(lists.values()):
        names = [name for name, own in lists.items() if own == one]
        seen = one.seen(batch)
        if seen.all():
            raise ValueError(
                f"{names[0]} was trained on every one of these captions or videos: there is "
                "nothing left to evaluate it on; use captions it has not seen, or leave it out"
            )
        if seen.any():
            videos = {captions.videos[row] for row in np.flatnonzero(seen).tolist()}
            note = (
                f"{captions_have(int(seen.sum()))} a text or a video that {names[0]} was trained "
                f"on ({len(videos):,} videos) and are left out for every metric"
            )
            captions = replace(
                captions.take(np.flatnonzero(~seen).tolist()), notes=(*captions.notes, note)
            )
            batch = captions.batch()
    return captions


def _captions(
    human: Path, captions: Sequence[Path], references: Path | None, whole: Path | None
) -> CaptionSet | None:
    if captions:
        return read_captions(captions, references)
    if is_judged(human):
        return judged_captions(human)
    return trecvid.read_captions(human, whole) if trecvid.is_trecvid(human) else None


def _with_material(
    captions: CaptionSet,
    looked_at: Sequence[str],
    videos: Path | None,
    corpus: Path | None,
    paths: Mapping[str, str],
) -> CaptionSet:
    """The files of the videos that are looked at, and another corpus, where they are given."""
    if videos is not None and not videos.is_dir():
        raise ValueError(
            f"{videos} is not a folder: name the one that holds the videos (--videos)."
        )
    found = find_videos(videos, looked_at, paths) if videos is not None else {}
    files = {video: VideoFile.of(path) for video, path in found.items()}
    faults = Faults()
    told = as_texts(read_references(corpus, faults)) if corpus else {}
    faults.refuse()
    return replace(captions, files=files, corpus=told, notes=(*captions.notes, *faults.notes))


def read_metrics(paths: Sequence[Path]) -> tuple[ScoreTable, dict[str, str]]:
    """The scores of all files side by side, and how each metric was computed where it is known."""
    signatures = {name: made for path in paths for name, made in read_signatures(path).items()}
    return _read_all(paths), signatures


def read_signatures(scores: Path) -> dict[str, str]:
    """How the metrics of a file were computed, where `manage.py score` wrote it beside the file."""
    found = _beside(scores).get("signatures", {})
    return {str(name): str(signature) for name, signature in found.items()}


def _read_all(paths: Sequence[Path]) -> ScoreTable:
    """The scores of all files side by side, with what `manage.py score` had to say of them."""
    tables = [read_scores(path) for path in paths]
    home: dict[str, Path] = {}
    for path, table in zip(paths, tables, strict=True):
        for name in table.names:
            if home.setdefault(name, path) != path:
                raise ValueError(
                    f"{path.name}: {name} is in {home[name].name} already; `score --label` names "
                    "the columns of each model"
                )
    notes = [str(note) for path in paths for note in _beside(path).get("notes", ())]
    return beside_each_other(tables, notes)


def _beside(scores: Path) -> dict[str, Any]:
    beside = scores.with_name(f"{scores.name}.json")
    if not beside.is_file():
        return {}
    try:
        found = json.loads(beside.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}
