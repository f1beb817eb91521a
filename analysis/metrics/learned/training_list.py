"""What a metric was trained on, by digests: enough to know a caption or a video again.

A video has other names in other files, so it is known by its references, and by the bytes of its
file where that is at hand. Two videos that share one count as the same: better to leave out too
much than to judge a metric by what it has learned.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from analysis.metrics.batch import MISSING, Batch
from analysis.metrics.registry import families_of, metric_names

if TYPE_CHECKING:
    from analysis.metrics.artifacts import Artifact

TRAINING: Final = "training.json"
IMAGE_TEXT: Final = "image_text"
_DIGITS: Final = 16


def digest(text: str) -> str:
    """Of the words alone: case, punctuation and blanks do not make another caption.

    >>> digest("A dog  runs.") == digest("a dog runs")
    True
    """
    plain = re.sub(r"[\W_]+", " ", text.lower()).strip()
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


@dataclass(frozen=True)
class TrainingList:
    """Digests of captions, and of the references and files that videos are known by."""

    captions: frozenset[str] = frozenset()
    references: frozenset[str] = frozenset()
    clips: frozenset[str] = frozenset()

    @classmethod
    def of(cls, batches: Iterable[Batch]) -> TrainingList:
        captions: set[str] = set()
        references: set[str] = set()
        clips: set[str] = set()
        for batch in batches:
            captions.update(map(digest, batch.captions))
            for video in dict.fromkeys(batch.videos):
                references.update(map(digest, batch.references.get(video, ())))
                clips.update(_clip(batch, video))
        return cls(frozenset(captions), frozenset(references), frozenset(clips))

    @classmethod
    def together(cls, lists: Iterable[TrainingList]) -> TrainingList:
        told = list(lists)
        captions = frozenset[str]().union(*(one.captions for one in told))
        return cls(captions, frozenset[str]().union(*(one.references for one in told)))

    def seen(self, batch: Batch) -> NDArray[np.bool_]:
        """Which captions have a text or a video of the list."""
        videos = dict.fromkeys(batch.videos)
        known = {
            video
            for video in videos
            if any(digest(text) in self.references for text in batch.references.get(video, ()))
            or not self.clips.isdisjoint(_clip(batch, video))
        }
        return np.array(
            [
                video in known or digest(text) in self.captions
                for text, video in zip(batch.captions, batch.videos, strict=True)
            ],
            dtype=bool,
        )

    @classmethod
    def of_lists(cls, lists: Mapping[str, Sequence[str]]) -> TrainingList:
        named = (lists["captions"], lists["references"], lists.get("clips", ()))
        return cls(*map(frozenset, named))

    def lists(self) -> dict[str, list[str]]:
        return {
            "captions": sorted(self.captions),
            "references": sorted(self.references),
            "clips": sorted(self.clips),
        }

    def write(self) -> bytes:
        return (json.dumps(self.lists(), indent=0) + "\n").encode()


def _clip(batch: Batch, video: str) -> tuple[str, ...]:
    """The digest of a video's bytes, where there is a file of it."""
    file = batch.files.get(video)
    return (file.sha256[:_DIGITS],) if file is not None and file.sha256 != MISSING else ()


def read_training_list(path: Path) -> TrainingList:
    try:
        return TrainingList.of_lists(json.loads(path.read_bytes()))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: this is not a list of what a metric was trained on") from error


def list_of(artifact: Artifact) -> Callable[[], TrainingList]:
    """For `Family.trained`: what the metric of a folder was trained on."""
    return lambda: read_training_list(artifact.path(TRAINING))


def trained_on(metrics: Iterable[str], model: str = "") -> dict[str, TrainingList]:
    """Of the metrics that were trained on captions, what on; of those that look with an image–text
    model, what that was trained on.

    Parameters
    ----------
    model : the image–text model as `ModelChoice` names it
    """
    found: dict[str, TrainingList] = {}
    wanted = list(metrics)
    seeing = model_list(model)
    for family, names in families_of([*wanted, *_mixed(wanted)]).items():
        if family.trained is not None:
            found |= dict.fromkeys(names, family.trained())
        elif seeing is not None and IMAGE_TEXT in family.needs:
            found |= dict.fromkeys(names, seeing)
    return found


def _mixed(metrics: Iterable[str]) -> list[str]:
    """What they are mixed of, as far as it is a metric and not only a column of a file."""
    known = set(metric_names())
    return [name for one in families_of(metrics) for name in one.mixes if name in known]


def model_list(model: str) -> TrainingList | None:
    """What a folder of `learn clip`, `cloob` or `factvc` was trained on; None of other models."""
    path = Path(model) / TRAINING if model else None
    return read_training_list(path) if path is not None and path.is_file() else None


def overlap(one: Sequence[Batch], other: Sequence[Batch]) -> int:
    """How many captions of the one side have a text or a video that the other has, too."""
    held = TrainingList.of(other)
    return sum(int(held.seen(batch).sum()) for batch in one)
