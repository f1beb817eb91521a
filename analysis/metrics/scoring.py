"""Score a batch with many metrics: what can be computed is, and what cannot is said.

Two steps, so that the first can be spread over many machines: ``embed`` fills the store with all
that the metrics will need of the models, ``score`` computes them from the store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.metrics.batch import Batch, Rows, Values, VideoFile
from analysis.metrics.context import ScoringContext
from analysis.metrics.registry import (
    Family,
    MetricUnavailable,
    Need,
    Resource,
    families_of,
    resource,
    resources,
    with_mixed,
)
from analysis.metrics.settings import Settings
from analysis.metrics.signatures import signature

Progress = Callable[[str, int, int], None]

NO_REFERENCE = "it has no reference"
NO_VIDEO = "no video file was given for it"
NO_FRAMES = "its frames are not embedded"
UNDEFINED = "it has no defined value"
_CUT = (
    "{captions} longer than the {need} reads and without a value; --paragraphs sentences scores "
    "sentence by sentence"
)
_SEEING = "image_text"  # the model whose cautions everybody must know
_ALL_ALIKE = {
    NO_REFERENCE: "there are no references; --references names a file of them",
    NO_VIDEO: "no video files were given; --videos names their folder",
}


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


def merged(faults: Iterable[Fault]) -> list[Fault]:
    """What is said of the same for several metrics, said once.

    >>> merged([Fault("no model", metrics=("a",)), Fault("no model", metrics=("b",))])
    [Fault(message='no model', video='', metrics=('a', 'b'))]
    """
    found: dict[tuple[str, str], dict[str, None]] = {}
    for fault in faults:
        found.setdefault((fault.message, fault.video), {}).update(dict.fromkeys(fault.metrics))
    return [Fault(message, video, tuple(names)) for (message, video), names in found.items()]


@dataclass
class Scores:
    """One value per caption and metric, NaN where there is none, and how they came about."""

    values: dict[str, Values] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def only(self, metrics: Sequence[str]) -> Scores:
        """Of these metrics, in this order, with all that was said."""
        return replace(
            self,
            values={name: self.values[name] for name in metrics},
            signatures={name: self.signatures[name] for name in metrics},
        )

    def labelled(self, label: str) -> Scores:
        """The same under names that tell with what they were computed."""
        return Scores(
            {column(name, label): values for name, values in self.values.items()},
            {column(name, label): made for name, made in self.signatures.items()},
            [
                replace(fault, metrics=tuple(column(name, label) for name in fault.metrics))
                for fault in self.faults
            ],
            self.notes,
        )


def column(metric: str, label: str) -> str:
    """
    >>> column("emscore", "ViT-B-16"), column("emscore", "")
    ('emscore@ViT-B-16', 'emscore')
    """
    return f"{metric}@{label}" if label else metric


def metric_of(column: str) -> str:
    """
    >>> metric_of("emscore@ViT-B-16")
    'emscore'
    """
    return column.partition("@")[0]


def label_checked(label: str) -> str:
    """A label, if it can stand in the names of columns."""
    if label and not re.fullmatch(r"[\w.+:/-]{1,40}", label):
        raise ValueError(
            f"the label {label!r} must be at most 40 letters, digits and . + : / - _, without "
            "blanks, commas or @"
        )
    return label


@dataclass(frozen=True)
class Embeddable:
    """All that metrics need of the models: what is already in the store costs nothing.

    ``texts`` are those of each model, ``frames`` the ways in which frames of the videos are chosen
    for each.
    """

    videos: Mapping[str, VideoFile]
    frames: Mapping[str, Sequence[str]]
    texts: Mapping[str, Sequence[str]]


def embeddable(batch: Batch, metrics: Sequence[str], settings: Settings) -> Embeddable:
    """What ``embed`` has to embed, each text once and in a fixed order."""
    texts: dict[str, dict[str, None]] = {}
    frames: dict[str, dict[str, None]] = {}
    parts = _Parts(batch, settings)
    for family in families_of(with_mixed(metrics)):
        for model in _embedding(family):
            if model.sees and Need.VIDEO in family.needs:
                frames.setdefault(model.name, {})[family.frames(settings)] = None
            read = parts.whole(family).batch
            texts.setdefault(model.name, {}).update(dict.fromkeys(family.texts(read, settings)))
    files = {
        video: batch.files[video] for video in dict.fromkeys(batch.videos) if video in batch.files
    }
    return Embeddable(
        files if frames else {},
        {name: list(chosen) for name, chosen in frames.items()},
        {name: list(wanted) for name, wanted in texts.items()},
    )


def _embedding(family: Family) -> list[Resource]:
    """The models that a family needs embeddings of."""
    return [one for one in resources() if one.embeds and one.name in family.needs]


def embed(
    wanted: Embeddable,
    settings: Settings,
    context: ScoringContext,
    progress: Progress | None = None,
) -> dict[str, str]:
    """Fill the store; returns which videos cannot be read, and why."""

    def told(what: str) -> Callable[[int, int], None]:
        return lambda done, total: progress(what, done, total) if progress else None

    unreadable: dict[str, str] = {}
    for name, model in context.embedders({*wanted.texts, *wanted.frames}).items():
        texts = wanted.texts.get(name)
        if texts:
            model.texts_for(settings).embed(texts, told(f"texts, {resource(name).title}"))
        for chosen in wanted.frames.get(name, ()) if wanted.videos else ():
            frames = model.frames(chosen)
            unreadable |= frames.embed(wanted.videos, told(f"videos ({chosen})"))
    return unreadable


def score(
    batch: Batch,
    metrics: Sequence[str],
    settings: Settings,
    context: ScoringContext,
    unreadable: Mapping[str, str] = MappingProxyType({}),
) -> Scores:
    """Every metric for every caption, from what ``embed`` left in the store.

    A metric that is not installed, a video without references or without readable frames costs
    the values that depend on it and adds one fault; everything else is scored.
    """
    scores = Scores()
    parts = _Parts(batch, settings)
    wanted = families_of(with_mixed(metrics))
    for family, names in wanted.items():
        if not family.mixes:
            _add(scores, family, names, parts, context)
    unreferenced = dict.fromkeys(parts.unreferenced, NO_REFERENCE)
    scores.faults += _missing(batch, _naming(wanted, Need.REFERENCES), unreferenced)
    scores.faults += _unseen(batch, wanted, settings, context, unreadable)
    scores.faults += _undefined(batch.videos, scores)
    scores.faults += _leave_out_cut(scores, parts, wanted, context)
    context.values = scores.values  # not before: a trained metric may have scored others for itself
    for family, names in wanted.items():
        if family.mixes:  # of what is left: a caption that was read in part has no value
            _add(scores, family, names, parts, context)
    scores.faults = merged([*scores.faults, *_unwritten(context)])
    caution = context.config.caution if context.config else ""
    if caution and any(_SEEING in family.needs for family in wanted):
        scores.notes.append(caution)
    scores.notes += _cut_references(parts, wanted, context)
    return scores.only(metrics)


def _add(
    scores: Scores, family: Family, names: Sequence[str], parts: _Parts, context: ScoringContext
) -> None:
    """A family's values, or why there are none."""
    part = parts.of(family)
    found: Mapping[str, Values] = {}
    try:
        if len(part.batch):
            found = family.score(part.batch, parts.settings, context)
    except MetricUnavailable as unavailable:
        scores.faults.append(Fault(str(unavailable), metrics=tuple(names)))
    for name in names:
        scores.values[name] = part.spread(found.get(name))
        scores.signatures[name] = signature(name, family, parts.batch, parts.settings, context)


class _Part:
    """Some rows of a batch, each or each of its sentences, and the way back to all of them."""

    def __init__(self, whole: Batch, rows: Rows, by_sentences: bool) -> None:
        self._size = len(whole)
        self._rows = rows
        self.batch = whole if len(rows) == len(whole) else whole.take(rows)
        self._owner = np.arange(len(rows))
        if by_sentences:
            self.batch, self._owner = self.batch.by_sentences()

    def spread(self, values: Values | None) -> Values:
        """A value for each row of the whole: of several sentences the mean."""
        everywhere = np.full(self._size, np.nan)
        if values is not None and len(values):
            sums = np.bincount(self._owner, values, len(self._rows))
            everywhere[self._rows] = sums / np.bincount(self._owner, minlength=len(self._rows))
        return everywhere

    def any_of(self, sentences: Sequence[bool]) -> NDArray[np.bool_]:
        """The rows of the whole of which a sentence is among these."""
        return self.spread(np.array(sentences, np.float64)) > 0


class _Parts:
    """What each family scores: all captions or those with references, whole or by sentences."""

    def __init__(self, batch: Batch, settings: Settings) -> None:
        self.batch = batch
        self.settings = settings
        self._known: dict[tuple[int, bool], _Part] = {}
        self._referenced = batch.rows_with_references()

    @property
    def unreferenced(self) -> list[str]:
        told = {self.batch.videos[row] for row in self._referenced}
        return sorted(set(self.batch.videos) - told)

    def of(self, family: Family) -> _Part:
        return self._part(family, Need.REFERENCES in family.needs)

    def whole(self, family: Family) -> _Part:
        return self._part(family, referenced=False)

    def _part(self, family: Family, referenced: bool) -> _Part:
        rows = self._referenced if referenced else np.arange(len(self.batch))
        split = "paragraphs" in family.settings and self.settings.paragraphs == "sentences"
        key = (len(rows), split)
        if key not in self._known:
            self._known[key] = _Part(self.batch, rows, split)
        return self._known[key]


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


def _unseen(
    batch: Batch,
    wanted: Mapping[Family, Sequence[str]],
    settings: Settings,
    context: ScoringContext,
    unreadable: Mapping[str, str],
) -> list[Fault]:
    """Videos without frames: those that lack the same in every way of choosing frames, once."""
    blind: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for family, names in wanted.items():
        if Need.VIDEO in family.needs:
            reasons = _without_frames(batch, family, settings, context, unreadable)
            blind.setdefault(tuple(reasons.items()), []).extend(names)
    return [
        fault
        for reasons, names in blind.items()
        for fault in _missing(batch, tuple(names), dict(reasons))
    ]


def _without_frames(
    batch: Batch,
    family: Family,
    settings: Settings,
    context: ScoringContext,
    unreadable: Mapping[str, str],
) -> dict[str, str]:
    models = context.embedders({one.name for one in _embedding(family) if one.sees})
    seen = [model.frames(family.frames(settings)) for model in models.values()]
    if not seen or any(frames.fault for frames in seen):
        return {}  # said once, for all videos
    return {
        video: unreadable.get(video, NO_VIDEO if video not in batch.files else NO_FRAMES)
        for video in sorted(set(batch.videos))
        if video not in batch.files or any(batch.files[video] not in frames for frames in seen)
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


def _leave_out_cut(
    scores: Scores, parts: _Parts, wanted: Mapping[Family, Sequence[str]], context: ScoringContext
) -> list[Fault]:
    """A model that read the beginning of a caption only has not judged the caption."""
    told: dict[str, list[str]] = {}
    for family, names in wanted.items():
        for need, cuts in _cutting(family, parts.settings, context):
            part = parts.of(family)
            texts = family.texts(part.batch, parts.settings)[: len(part.batch)]
            cut = part.any_of([cuts(text) for text in texts])
            if cut.any():
                captions = "1 caption is" if cut.sum() == 1 else f"{cut.sum():,} captions are"
                told.setdefault(_CUT.format(captions=captions, need=need), []).extend(names)
            for name in names:
                scores.values[name][cut] = np.nan
    return [Fault(message, metrics=tuple(names)) for message, names in told.items()]


def _cut_references(
    parts: _Parts, wanted: Mapping[Family, Sequence[str]], context: ScoringContext
) -> list[str]:
    counts: dict[str, int] = {}
    for family in wanted:
        for need, cuts in _cutting(family, parts.settings, context):
            if Need.REFERENCES in family.needs:
                read = parts.of(family).batch.references.values()
                told = dict.fromkeys(text for texts in read for text in texts)
                counts[need] = max(counts.get(need, 0), sum(map(cuts, told)))
    return [
        f"references longer than the {need} reads: {count}; only their beginnings count"
        for need, count in counts.items()
        if count
    ]


def _cutting(
    family: Family, settings: Settings, context: ScoringContext
) -> list[tuple[str, Callable[[str], bool]]]:
    """The models that a family has read texts with, and whether one has cut a text."""
    return [
        (resource(name).title, partial(_is_cut, model, settings))
        for name, model in context.embedders(family.needs).items()
    ]


def _is_cut(model: Any, settings: Settings, text: str) -> bool:
    return bool(model.cuts(text, settings))


def _unwritten(context: ScoringContext) -> list[Fault]:
    spaces = [part.space for model in context.embedders_opened for part in model.opened]
    return [Fault(message) for message in dict.fromkeys(space.fault for space in spaces) if message]
