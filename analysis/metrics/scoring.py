"""Score a batch with many metrics: what can be computed is, and what cannot is said.

Two steps, so that the first can be spread over many machines: ``embed`` fills the store with all
that the metrics will need of the models, ``score`` computes them from the store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from analysis.metrics.batch import Batch, Rows, Values, VideoFile
from analysis.metrics.embedding import Texts
from analysis.metrics.registry import Family, MetricUnavailable, Need, families_of
from analysis.metrics.settings import Settings
from analysis.metrics.signatures import signature
from analysis.metrics.workbench import Workbench

Progress = Callable[[str, int, int], None]

NO_REFERENCE = "it has no reference"
NO_VIDEO = "no video file was given for it"
NO_FRAMES = "its frames are not embedded"
UNDEFINED = "it has no defined value"
_ALL_ALIKE = {NO_REFERENCE: "there are no references", NO_VIDEO: "no video files were given"}


@dataclass(frozen=True)
class Fault:
    """Something that could not be scored, and why; without a video it concerns all of them."""

    message: str
    video: str = ""
    metrics: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f"video {self.video}: " if self.video else ""
        whom = f" ({', '.join(self.metrics)})" if self.metrics else ""
        return f"{where}{self.message}{whom}"


@dataclass
class Scores:
    """One value per caption and metric, NaN where there is none, and how they came about."""

    values: dict[str, Values] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Embeddable:
    """All that metrics need of the models: what is already in the store costs nothing."""

    videos: Mapping[str, VideoFile]
    texts: Sequence[str]
    sentences: Sequence[str]


def embeddable(batch: Batch, metrics: Sequence[str], settings: Settings) -> Embeddable:
    """What ``embed`` has to embed, each text once and in a fixed order."""
    texts: dict[Need, dict[str, None]] = {Need.ENCODER: {}, Need.SENTENCE_MODEL: {}}
    looks = False
    for family in families_of(metrics):
        looks |= Need.VIDEO in family.needs
        for need, wanted in texts.items():
            if need in family.needs:
                wanted.update(dict.fromkeys(family.texts(batch, settings)))
    files = {
        video: batch.files[video] for video in dict.fromkeys(batch.videos) if video in batch.files
    }
    return Embeddable(
        files if looks else {}, list(texts[Need.ENCODER]), list(texts[Need.SENTENCE_MODEL])
    )


def embed(
    wanted: Embeddable, settings: Settings, bench: Workbench, progress: Progress | None = None
) -> dict[str, str]:
    """Fill the store; returns which videos cannot be read, and why."""

    def told(what: str) -> Callable[[int, int], None]:
        return lambda done, total: progress(what, done, total) if progress else None

    if wanted.sentences and bench.sentence:
        texts = bench.sentence.texts(settings.bertscore_layer)
        texts.embed(wanted.sentences, told("sentences"))
    if wanted.texts and bench.image_text:
        bench.image_text.texts.embed(wanted.texts, told("texts"))
    if wanted.videos and bench.image_text:
        return bench.image_text.frames.embed(wanted.videos, told("videos"))
    return {}


def score(
    batch: Batch,
    metrics: Sequence[str],
    settings: Settings,
    bench: Workbench,
    unreadable: Mapping[str, str] = MappingProxyType({}),
) -> Scores:
    """Every metric for every caption, from what ``embed`` left in the store.

    A metric that is not installed, a video without references or without readable frames costs
    the values that depend on it and adds one fault; everything else is scored.
    """
    scores = Scores()
    referenced = _Part(batch, batch.rows_with_references())
    wanted = families_of(metrics)
    for family, names in wanted.items():
        part = referenced if Need.REFERENCES in family.needs else _Part(batch)
        try:
            found = family.score(part.batch, settings, bench) if len(part.batch) else {}
        except MetricUnavailable as unavailable:
            found = {}
            scores.faults.append(Fault(str(unavailable), metrics=tuple(names)))
        for name in names:
            scores.values[name] = part.spread(found.get(name))
            scores.signatures[name] = signature(name, family, batch, settings, bench)
    unreferenced = dict.fromkeys(referenced.missing, NO_REFERENCE)
    unseen = _without_frames(batch, bench, unreadable)
    scores.faults += _missing(batch, _naming(wanted, Need.REFERENCES), unreferenced)
    scores.faults += _missing(batch, _naming(wanted, Need.VIDEO), unseen)
    scores.faults += _undefined(batch.videos, scores)
    scores.faults += _unwritten(bench)
    scores.notes += _cut_texts(batch, wanted, settings, bench)
    return scores


class _Part:
    """Some rows of a batch, and the way back to all of them."""

    def __init__(self, whole: Batch, rows: Rows | None = None) -> None:
        self._size = len(whole)
        self._rows = np.arange(len(whole)) if rows is None else rows
        self.batch = whole if len(self._rows) == len(whole) else whole.take(self._rows)
        self.missing = sorted(set(whole.videos) - set(self.batch.videos))

    def spread(self, values: Values | None) -> Values:
        everywhere = np.full(self._size, np.nan)
        if values is not None:
            everywhere[self._rows] = values
        return everywhere


def _naming(wanted: Mapping[Family, Sequence[str]], need: Need) -> tuple[str, ...]:
    """The metrics with that need."""
    return tuple(name for family, names in wanted.items() if need in family.needs for name in names)


def _missing(batch: Batch, metrics: tuple[str, ...], reasons: Mapping[str, str]) -> list[Fault]:
    """One fault for each video that lacks what the metrics need; where all lack the same, one."""
    if not metrics:
        return []
    for reason, of_all in _ALL_ALIKE.items():
        if all(reasons.get(video) == reason for video in batch.videos):
            return [Fault(of_all, metrics=metrics)]
    return [Fault(reason, video, metrics) for video, reason in reasons.items()]


def _without_frames(
    batch: Batch, bench: Workbench, unreadable: Mapping[str, str]
) -> dict[str, str]:
    if bench.image_text is None or bench.image_text.frames.fault:
        return {}  # said once, for all videos
    frames = bench.image_text.frames
    return {
        video: unreadable.get(video, NO_VIDEO if video not in batch.files else NO_FRAMES)
        for video in sorted(set(batch.videos))
        if video not in batch.files or batch.files[video] not in frames
    }


def _undefined(videos: Sequence[str], scores: Scores) -> list[Fault]:
    """A value that is missing although nothing was said about it."""
    told = {(fault.video, name) for fault in scores.faults for name in fault.metrics}
    found: dict[str, dict[str, None]] = {}
    for name, values in scores.values.items():
        for row in np.flatnonzero(np.isnan(values)).tolist():
            if ("", name) not in told and (videos[row], name) not in told:
                found.setdefault(videos[row], {})[name] = None
    return [Fault(UNDEFINED, video, tuple(names)) for video, names in found.items()]


def _unwritten(bench: Workbench) -> list[Fault]:
    spaces = (
        [bench.image_text.texts.space, bench.image_text.frames.space] if bench.image_text else []
    )
    spaces += [texts.space for texts in bench.sentence.opened] if bench.sentence else []
    return [Fault(message) for message in dict.fromkeys(space.fault for space in spaces) if message]


def _cut_texts(
    batch: Batch, wanted: Mapping[Family, Sequence[str]], settings: Settings, bench: Workbench
) -> list[str]:
    """A text with more words than it has tokens was cut at the end of the model's context."""
    readers: dict[Need, Texts] = {}
    if bench.image_text:
        readers[Need.ENCODER] = bench.image_text.texts
    if bench.sentence:
        readers[Need.SENTENCE_MODEL] = bench.sentence.texts(settings.bertscore_layer)
    needs = {need for family in wanted for need in family.needs}
    captions = dict.fromkeys(batch.captions)
    return [
        f"captions longer than the {need} reads: {count}; only their beginnings count"
        for need, texts in readers.items()
        if need in needs and (count := sum(_is_cut(text, texts) for text in captions))
    ]


def _is_cut(text: str, texts: Texts) -> bool:
    return text in texts and len(text.split()) > len(texts[text].marks) - 2 > 0
