"""The metrics there are: the ``FAMILIES`` of every module in `analysis.metrics.families`."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import analysis.metrics.families
from analysis.metrics.batch import Batch, Values
from analysis.metrics.settings import SETTINGS, Settings

if TYPE_CHECKING:
    from analysis.metrics.config import MetricConfig
    from analysis.metrics.context import ScoringContext
    from analysis.metrics.learned.training_list import TrainingList

Scorer = Callable[[Batch, Settings, "ScoringContext"], Mapping[str, Values]]


class Need(StrEnum):
    """What a batch may have or lack. What a machine may lack is a `Resource`."""

    REFERENCES = "references"
    VIDEO = "video"


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
class Resource:
    """A model, a table or a program that metrics are computed with, named by families that need it.

    Parameters
    ----------
    name : as ``Family.needs`` and `MetricConfig.path` have it
    title : as people read it
    find : what it would be opened with, found without loading anything; a `MetricUnavailable` says
        what is missing and how to get it
    open : from what was found; it loads when something is computed, and not before
    packages : what Python must be able to import
    embeds : whether it keeps embeddings in the store, as an `Embedder` does
    sees : whether it embeds frames, too
    quick : whether to compute with it again and again costs little
    """

    name: str
    title: str
    find: Callable[[MetricConfig], Any] = field(repr=False)
    open: Callable[[Any, MetricConfig], Any] = field(repr=False)
    packages: tuple[str, ...] = ()
    embeds: bool = False
    sees: bool = False
    quick: bool = False

    def open_with(self, config: MetricConfig | None) -> Any:
        if config is None:
            raise MetricUnavailable(f"no {self.title} was given")
        return self.open(self.find(config), config)

    def lack(self, config: MetricConfig) -> str:
        """What is missing on this machine, in a sentence; empty where nothing is."""
        try:
            self.find(config)
        except MetricUnavailable as unavailable:
            return str(unavailable)
        absent = [name for name in self.packages if importlib.util.find_spec(name) is None]
        named = " and ".join(absent)
        return (
            f"{named} cannot be imported; requirements.txt has all that metrics need"
            if absent
            else ""
        )


@dataclass(frozen=True, eq=False)
class Family:
    """Metrics that are computed together.

    Parameters
    ----------
    metrics : name of each metric and what it measures, in one line
    paper : where it is defined
    needs : what must be there to compute it: of the batch, and resources by name
    settings : the settings its numbers depend on, by name
    score : a whole batch at once; returns one value per caption for each metric
    uses_corpus : whether the numbers depend on the corpus of the batch, under given settings
    texts : what must be embedded before scoring, for metrics that need a model
    data : the program and the files the numbers depend on, for the signature; empty without them
    frames : which frames of a video it looks at, for metrics that look
    mixes : the metrics it is computed from; ``score`` finds their values in `ScoringContext.values`
    trained : the list of what it was trained on, for metrics that were trained: whoever evaluates
        it leaves those captions out
    version : raised whenever a change alters any of its numbers; part of every signature
    """

    metrics: Mapping[str, str]
    paper: str
    needs: frozenset[str]
    settings: tuple[str, ...]
    score: Scorer = field(repr=False)
    uses_corpus: Callable[[Settings], bool] = field(default=lambda settings: False, repr=False)
    texts: Callable[[Batch, Settings], Sequence[str]] = field(default=own_texts, repr=False)
    data: Callable[[], str] = field(default=str, repr=False)
    frames: Callable[[Settings], str] = field(default=lambda settings: settings.frames, repr=False)
    mixes: tuple[str, ...] = ()
    trained: Callable[[], TrainingList] | None = field(default=None, repr=False)
    version: int = 1

    def __post_init__(self) -> None:
        unknown = set(self.settings) - set(SETTINGS)
        if unknown:
            raise ValueError(f"settings holds unknown names: {', '.join(sorted(unknown))}")


_learned: dict[str, Family] = {}
_finders: list[Callable[[Collection[str]], Iterable[Family]]] = []


def families() -> tuple[Family, ...]:
    """Every family, in the order of the module names; trained ones after them."""
    return (*_built_in(), *dict.fromkeys(_learned.values()))


@cache
def _built_in() -> tuple[Family, ...]:
    return tuple(
        family for module in family_modules() for family in getattr(module, "FAMILIES", ())
    )


@cache
def family_modules() -> tuple[ModuleType, ...]:
    """The modules that hold metrics, or read trained ones."""
    return tuple(
        importlib.import_module(f"analysis.metrics.families.{module.name}")
        for module in pkgutil.iter_modules(analysis.metrics.families.__path__)
    )


@cache
def resources() -> tuple[Resource, ...]:
    """Every model, table and program, by name: the ``RESOURCES`` of the modules of families."""
    found = {
        one.name: one for module in family_modules() for one in getattr(module, "RESOURCES", ())
    }
    return tuple(found[name] for name in sorted(found))


def resource(name: str) -> Resource:
    found = {one.name: one for one in resources()}
    if name not in found:
        raise ValueError(f"there is no resource {name!r}, only {', '.join(found)}")
    return found[name]


def embedding_models() -> frozenset[str]:
    """The names of what keeps embeddings: to embed takes long and a GPU, to score does not."""
    return frozenset(one.name for one in resources() if one.embeds)


def titles(needs: Iterable[str]) -> list[str]:
    """What is needed, as people read it."""
    known = {one.name: one.title for one in resources()}
    return sorted(known.get(need, str(need)) for need in needs)


def register(family: Family) -> None:
    """A trained metric beside those that come with the platform, in place of any of its name."""
    own = {name for built_in in _built_in() for name in built_in.metrics}
    for name in family.metrics:
        if name in own:
            raise ValueError(f"a metric {name!r} already exists: train it under another name")
        _learned[name] = family


def find_with(finder: Callable[[Collection[str]], Iterable[Family]]) -> None:
    """Ask this for trained metrics whose names nobody here knows yet, before they are refused."""
    if finder not in _finders:
        _finders.append(finder)


def metric_names() -> list[str]:
    return [name for family in families() for name in family.metrics]


def _homes() -> dict[str, Family]:
    return {name: family for family in families() for name in family.metrics}


def families_of(names: Iterable[str]) -> dict[Family, list[str]]:
    """The families behind the named metrics; an unknown name is refused."""
    named = list(dict.fromkeys(names))
    home = _homes()
    if unknown := sorted(set(named) - set(home)):
        for finder in _finders:
            for family in finder(unknown):
                register(family)
        home = _homes()
    if unknown := sorted(set(named) - set(home)):
        raise ValueError(f"metrics holds unknown names: {', '.join(unknown)}")
    wanted: dict[Family, list[str]] = {}
    for name in named:
        wanted.setdefault(home[name], []).append(name)
    return wanted


def with_mixed(names: Iterable[str]) -> list[str]:
    """The named metrics, after those that they are computed from."""
    found: dict[str, None] = {}
    for family, own in families_of(names).items():
        strange = sorted(set(family.mixes) - set(metric_names()))
        if strange:
            raise ValueError(
                f"{own[0]} is computed from {', '.join(strange)}, which no metric here is called; "
                "`correlate --metrics FILE --learned` takes it from a file of scores"
            )
        found |= dict.fromkeys([*with_mixed(family.mixes), *own])
    return list(found)


def needs_of(names: Iterable[str]) -> frozenset[str]:
    """All that must be there to compute the named metrics."""
    return frozenset(need for family in families_of(with_mixed(names)) for need in family.needs)


def mixing(name: str) -> tuple[str, ...]:
    """The metrics that one is computed from; most are computed from captions alone."""
    [family] = families_of([name])
    return family.mixes
