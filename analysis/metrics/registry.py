"""The metrics there are. A module of this package that defines ``FAMILIES`` adds to them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

import analysis.metrics
from analysis.metrics.batch import Batch, Values
from analysis.metrics.settings import SETTINGS, Settings

if TYPE_CHECKING:
    from analysis.metrics.workbench import Workbench

Scorer = Callable[[Batch, Settings, "Workbench"], Mapping[str, Values]]


class Need(StrEnum):
    REFERENCES = "references"
    VIDEO = "video"
    ENCODER = "image-text model"
    SENTENCE_MODEL = "sentence model"
    JAVA = "Java"


class MetricUnavailable(ValueError):
    """A metric cannot be computed on this machine; the message says what to install."""


@contextmanager
def metric_libraries() -> Iterator[None]:
    """Around imports of what only metric workers have: where one is missing, a sentence says so.

    Such imports are made when they are needed, never on top of a module, because web machines
    import the registry and have none of these libraries.
    """
    try:
        yield
    except ImportError as error:
        raise MetricUnavailable(
            f"the Python package {error.name} is not installed; requirements.txt has all that "
            "metrics need"
        ) from error


def own_texts(batch: Batch, settings: Settings) -> Sequence[str]:
    """Captions and references: what most metrics that embed texts embed."""
    return batch.texts()


def with_corpus(batch: Batch, settings: Settings) -> Sequence[str]:
    """The corpus as well, for metrics that count rare tokens in it."""
    return [*batch.texts(), *batch.corpus_texts()]


@dataclass(frozen=True, eq=False)
class Family:
    """Metrics that are computed together.

    Parameters
    ----------
    metrics : name of each metric and what it measures, in one line
    paper : where it is defined
    needs : what must be there to compute it
    settings : the settings its numbers depend on, by name
    score : a whole batch at once; returns one value per caption for each metric
    uses_corpus : whether the numbers depend on the corpus of the batch, under given settings
    texts : what must be embedded before scoring, for metrics that need a model
    data : the program and the files the numbers depend on, for the signature; empty without them
    frames : which frames of a video it looks at, for metrics that look
    version : raised whenever a change alters any of its numbers; part of every signature
    """

    metrics: Mapping[str, str]
    paper: str
    needs: frozenset[Need]
    settings: tuple[str, ...]
    score: Scorer = field(repr=False)
    uses_corpus: Callable[[Settings], bool] = field(default=lambda settings: False, repr=False)
    texts: Callable[[Batch, Settings], Sequence[str]] = field(default=own_texts, repr=False)
    data: Callable[[], str] = field(default=str, repr=False)
    frames: Callable[[Settings], str] = field(default=lambda settings: settings.frames, repr=False)
    version: int = 1

    def __post_init__(self) -> None:
        unknown = set(self.settings) - set(SETTINGS)
        if unknown:
            raise ValueError(f"settings holds unknown names: {', '.join(sorted(unknown))}")


@cache
def families() -> tuple[Family, ...]:
    """Every family, in the order of the module names."""
    found: list[Family] = []
    for module in pkgutil.iter_modules(analysis.metrics.__path__):
        loaded = importlib.import_module(f"analysis.metrics.{module.name}")
        found.extend(getattr(loaded, "FAMILIES", ()))
    return tuple(found)


def metric_names() -> list[str]:
    return [name for family in families() for name in family.metrics]


def families_of(names: Iterable[str]) -> dict[Family, list[str]]:
    """The families behind the named metrics; an unknown name is refused."""
    home = {name: family for family in families() for name in family.metrics}
    unknown = sorted(set(names) - set(home))
    if unknown:
        raise ValueError(f"metrics holds unknown names: {', '.join(unknown)}")
    wanted: dict[Family, list[str]] = {}
    for name in dict.fromkeys(names):
        wanted.setdefault(home[name], []).append(name)
    return wanted
