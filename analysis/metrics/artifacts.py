"""Trained metrics: a folder holds one, and it is then a metric like any other.

::

    config.json   format, kind, name, summary, paper, trained (one line: data, seed, version),
                  options of its kind, and the digest of every other file
    README.md     the card: what it was trained on, how it did on captions it had not seen
    …             weights, vocabulary, whatever its kind reads

The kind tells who reads the folder. A module of `analysis.metrics.families` names the kinds it
reads beside its ``FAMILIES``: ``ARTIFACTS = {"bertha": family}``, where ``family`` makes a `Family`
of an `Artifact` and loads weights no earlier than its ``score`` is called.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from analysis.metrics.registry import Family, MetricUnavailable, family_modules, register

FORMAT: Final = "learned-metric-1"
CONFIG: Final = "config.json"
CARD: Final = "README.md"

Loader = Callable[["Artifact"], Family]


@dataclass(frozen=True)
class Artifact:
    """A trained metric as its folder describes it; nothing of it is loaded.

    Parameters
    ----------
    kind : who reads it
    name : of the metric in tables
    summary : what it measures, in one line
    paper : where it is defined
    trained : the data, the seed and the version it was trained with, in one line
    options : what its kind needs to know beside the weights
    files : the digest of every other file of the folder, by its path within
    fingerprint : changes with any byte that decides numbers
    """

    folder: Path
    kind: str
    name: str
    summary: str
    paper: str
    trained: str
    options: Mapping[str, Any]
    files: Mapping[str, str]
    fingerprint: str

    @property
    def signature(self) -> str:
        """For `Family.data`: ``bertha:0123456789abcdef``."""
        return f"{self.kind}:{self.fingerprint}"

    def path(self, name: str) -> Path:
        """One of its files, whole and as it was when it was written.

        Raises
        ------
        MetricUnavailable
            When it is missing or other bytes than the configuration says.
        """
        path = self.folder / name
        if not path.is_file():
            raise MetricUnavailable(f"{self.folder} lacks {name}; copy the whole folder again")
        if file_digest(path) != self.files.get(name):
            raise MetricUnavailable(
                f"{path} is not the file that was written with {CONFIG}; copy the whole folder "
                "again, or train the metric again"
            )
        return path

    def family(self) -> Family:
        """The metric, ready to be registered and scored with."""
        loaders = kinds()
        if self.kind not in loaders:
            raise ValueError(
                f"{self.folder / CONFIG}: there is no kind of metric {self.kind!r}, only "
                f"{', '.join(sorted(loaders)) or 'none'}"
            )
        return loaders[self.kind](self)


def kinds() -> dict[str, Loader]:
    """Who reads which kind of folder."""
    found: dict[str, Loader] = {}
    for module in family_modules():
        found |= getattr(module, "ARTIFACTS", {})
    return found


def learn(place: Path) -> Artifact:
    """Register the metric of a folder under its name; what was there under it before, if it was
    trained too, gives way."""
    artifact = read_artifact(place)
    register(artifact.family())
    return artifact


def read_artifact(place: Path) -> Artifact:
    """A folder's description, or the description alone where there is nothing beside it; what is
    neither is refused with what to do about it."""
    path = place if place.is_file() else place / CONFIG
    if not path.is_file():
        raise ValueError(
            f"{place} holds no {CONFIG}: name the folder of a trained metric, as training wrote it"
        )
    return described_by(path.read_bytes(), path)


def described_by(content: bytes, path: Path) -> Artifact:
    """The same from the bytes of a description, wherever they were kept; ``path`` is where it is,
    or will be, with the other files beside it."""
    try:
        told = json.loads(content)
        if told["format"] != FORMAT:
            raise KeyError(f"format is not {FORMAT!r}")
        about = {key: str(told[key]) for key in ("kind", "name", "summary", "paper", "trained")}
        options, files = dict(told["options"]), dict(told["files"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{path}: this does not describe a trained metric ({error}); name the folder as "
            "training "
            "wrote it"
        ) from error
    return Artifact(
        folder=path.parent,
        **about,
        options=options,
        files=files,
        fingerprint=hashlib.sha256(content).hexdigest()[:16],
    )


def write_artifact(
    folder: Path,
    *,
    kind: str,
    name: str,
    summary: str,
    paper: str,
    trained: str,
    card: str,
    options: Mapping[str, Any],
) -> Artifact:
    """Make the folder that weights were saved in a trained metric.

    The configuration is written last: a folder that has one is whole.
    """
    (folder / CONFIG).unlink(missing_ok=True)
    (folder / CARD).write_text(card, encoding="utf-8")
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != CARD)
    content = config_json(
        kind=kind,
        name=name,
        summary=summary,
        paper=paper,
        trained=trained,
        options=options,
        files={path.relative_to(folder).as_posix(): file_digest(path) for path in files},
    )
    (folder / CONFIG).write_bytes(content)
    return read_artifact(folder)


def config_json(
    *,
    kind: str,
    name: str,
    summary: str,
    paper: str,
    trained: str,
    options: Mapping[str, Any],
    files: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    """What describes a trained metric; without files beside it, it is the whole of it."""
    if not re.fullmatch(r"\w[\w.+-]{0,39}", name):
        raise ValueError(f"the name {name!r} must be at most 40 letters, digits and . + - _")
    told = {
        "format": FORMAT,
        "kind": kind,
        "name": name,
        "summary": summary,
        "paper": paper,
        "trained": trained,
        "options": dict(options),
        "files": dict(files),
    }
    return (json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def file_digest(path: Path) -> str:
    """Read once for as long as the file stays as it is."""
    about = path.stat()
    return _digest(path, about.st_mtime_ns, about.st_size)


@cache
def _digest(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
