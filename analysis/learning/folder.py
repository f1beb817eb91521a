"""The folder that training leaves behind: whole under its name, or not there at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from analysis.learning.rated import RatedSet, by_name
from analysis.metrics.artifacts import CONFIG, Artifact, read_artifact, write_artifact
from analysis.metrics.learned.training_list import TRAINING, TrainingList

MODEL_CONFIG: Final = "open_clip_config.json"
SPLIT: Final = "split.json"
REPORTED: Final = "reported"
STOPPING: Final = "stopping"
Save = Callable[[Path], None]
Parts = Mapping[str, Sequence[RatedSet]]
"""What was held out, by what it was for."""


@dataclass(frozen=True, eq=False)
class Reported:
    """How a metric does on sets that it never saw, as lines of its card."""

    lines: list[str]
    sets: Sequence[RatedSet]

    @property
    def parts(self) -> Parts:
        return {REPORTED: self.sets}


def save_metric(
    out: Path, sets: Sequence[RatedSet], save: Save, *, held: Parts, card: str, **about: Any
) -> Artifact:
    """Write weights, the training list, the split, the card and the configuration, then rename the
    folder.

    A disk that fills, or a process that is killed, leaves at most a folder with a leading point
    that nothing reads.

    Raises
    ------
    ValueError
        When the place is taken by something that no training wrote.
    """
    with whole_folder(out) as part:
        save(part)
        write_training(part, sets, held)
        write_artifact(part, card=card, **about)
    return read_artifact(out)


def write_training(folder: Path, sets: Sequence[RatedSet], held: Parts) -> None:
    """What was learned from, by digests, and which videos told something else, by their names."""
    (folder / TRAINING).write_bytes(TrainingList.of(rated.batch for rated in sets).write())
    videos = {part: _videos(own) for part, own in held.items()}
    (folder / SPLIT).write_text(json.dumps(videos, indent=1, sort_keys=True) + "\n", "utf-8")


def _videos(sets: Sequence[RatedSet]) -> dict[str, list[str]]:
    return {
        name: sorted({str(video) for rated in own for video in rated.batch.videos})
        for name, own in by_name(sets).items()
    }


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """A folder to write into that gets its name when all of it is on the disk."""
    refuse_taken(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    part = _beside(out, "part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    try:
        yield part
        _to_disk(part)
        part.chmod(0o755)
        _put(part, out)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def refuse_taken(out: Path) -> None:
    """Before hours of training, not after them."""
    _mend(out)
    if out.exists() and not any((out / name).is_file() for name in (CONFIG, MODEL_CONFIG)):
        raise ValueError(f"{out} already exists and is not a trained metric: name another place")


def _beside(out: Path, what: str) -> Path:
    """A name that nothing reads. Always the same, so that a kill leaves nothing for long."""
    return out.with_name(f".{out.name}.{what}")


def _put(part: Path, out: Path) -> None:
    """A metric trained earlier is moved aside first, because a folder cannot be replaced."""
    old = _beside(out, "old")
    if out.exists():
        out.rename(old)
    part.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def _mend(out: Path) -> None:
    """Put back an earlier metric that was moved aside before a kill, or delete the rest of it."""
    old = _beside(out, "old")
    if old.exists() and not out.exists():
        old.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def _to_disk(folder: Path) -> None:
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def described(sets: Sequence[RatedSet], seed: int, version: str) -> str:
    """What it was trained on, in one line that goes into its signature."""
    parts = [f"{name}:{sum(map(len, own))}" for name, own in by_name(sets).items()]
    return f"sets {','.join(parts)}|seed:{seed}|{version}"


def card(title: str, facts: Mapping[str, str], sets: Sequence[RatedSet], table: list[str]) -> str:
    """README.md of the folder: on what it was trained, and how it does on what it never saw."""
    lines = [f"# {title}", ""]
    lines += [f"- {name}: {value}" for name, value in facts.items()]
    lines += ["", "## Trained on", "", "| set | captions | videos | systems | weight |"]
    lines += ["|---|---:|---:|---:|---:|"]
    lines += [
        f"| {rated.name} | {len(rated):,} | {len(set(rated.batch.videos)):,} | "
        f"{len(set(rated.systems))} | {rated.weight:g} |"
        for rated in sets
    ]
    lines += ["", "## On unseen captions", "", *table, ""]
    lines += [
        "Correlations with people are for captions whose text and video are not in "
        "`training.json`.",
        "`correlate` leaves out those that are, and says how many.",
        "",
    ]
    return "\n".join(lines)
