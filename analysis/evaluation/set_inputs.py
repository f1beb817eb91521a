"""Where the sets of an evaluation lie, and how each is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.evaluation import evalset, trecvid
from analysis.evaluation.inputs import Inputs, read_inputs
from analysis.evaluation.joining import Joined
from analysis.evaluation.robustness.checks import Material, Robustness, check_robustness
from analysis.evaluation.scoring import Scorer
from analysis.metrics.signatures import made_otherwise

HUMAN, SCORES, CAPTIONS, REFERENCES = "human.csv", "scores.csv", "captions.csv", "references.csv"


@dataclass(frozen=True)
class Source:
    """A set by name: a folder, or its files."""

    name: str
    human: Path
    captions: Path | None = None
    references: Path | None = None
    metrics: Path | None = None

    @classmethod
    def parse(cls, text: str) -> Source:
        """
        >>> Source.parse("2016=folder").name
        '2016'
        """
        name, equals, place = text.partition("=")
        paths = [Path(part.strip()) for part in place.split(",") if part.strip()]
        if not name.strip() or not equals or len(paths) not in (1, 2, 3):
            raise ValueError(
                f"{text!r} is not NAME=FOLDER, NAME=HUMAN,SCORES or NAME=HUMAN,CAPTIONS,REFERENCES"
            )
        name = name.strip()
        if len(paths) == 1:
            return cls(name, paths[0])._of_folder()
        if len(paths) == 2:
            return cls(name, paths[0], metrics=paths[1])
        return cls(name, *paths)

    def _of_folder(self) -> Source:
        """A folder of a TRECVID task is read as it is; others hold files of known names."""
        folder = self.human
        if trecvid.is_trecvid(folder) or not (folder / HUMAN).is_file():
            return self
        named = {name: folder / name for name in (CAPTIONS, REFERENCES, SCORES)}
        there = {name: path if path.is_file() else None for name, path in named.items()}
        return Source(self.name, folder / HUMAN, there[CAPTIONS], there[REFERENCES], there[SCORES])


@dataclass
class ReadSets:
    """The sets of an evaluation as they were read, by name."""

    inputs: dict[str, Inputs] = field(default_factory=dict)
    joined: dict[str, Joined] = field(default_factory=dict)
    shifts: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, inputs: Inputs, shift: int | str | None) -> None:
        self.joined[name], _, self.shifts[name] = inputs.aligned(shift)
        self.inputs[name] = inputs

    @property
    def facts(self) -> dict[str, str]:
        """What decided the numbers besides scores and settings, to be signed."""
        made = [text for one in self.inputs.values() for text in one.signatures.values()]
        # The bars inside a metric's signature would part this one.
        signed = [text.replace("|", ",") for text in dict.fromkeys(made)]
        who = dict.fromkeys(one.human.annotators for one in self.inputs.values())
        return {
            "shift": " ".join(f"{name}:{used:+d}" for name, used in self.shifts.items()),
            "annotators": ", ".join(who),
            **self._rules,
            "metrics": " ".join(signed) or "as in the files",
        }

    @property
    def _rules(self) -> dict[str, str]:
        """Of quality control, where sets may differ, and of rounding."""
        told = [{**one.human.rules, **one.rounding} for one in self.inputs.values()]
        return {
            name: ", ".join(dict.fromkeys(rules[name] for rules in told if name in rules))
            for name in dict.fromkeys(name for rules in told for name in rules)
        }

    @property
    def notes(self) -> list[str]:
        """About metrics of one name that were not computed alike."""
        return made_otherwise({
            name: {metric: made for metric, made in one.signatures.items()
                   if metric in one.metrics.names}
            for name, one in self.inputs.items()
        })  # fmt: skip

    def checked(
        self, checks: Sequence[str], scorer: Scorer, *, seed: int
    ) -> dict[str, tuple[Robustness, ...]]:
        """What the checks of robustness found on each set."""
        found = {}
        for name, one in self.inputs.items():
            material = _material(one, scorer)
            found[name] = tuple(
                check_robustness(self.joined[name], human, checks, material, seed=seed)
                for human in map(str, self.joined[name].human.columns)
            )
        return found


def _material(inputs: Inputs, scorer: Scorer) -> Material | None:
    if inputs.captions is None or not scorer.metrics:
        return None
    return Material(inputs.captions, scorer)


def read_sets(
    sources: Sequence[Source],
    scorer: Scorer,
    *,
    shift: int | str | None,
    whole: Mapping[str, Path],
    choices: Mapping[str, Any],
    further: Mapping[str, Any],
    without_references: bool = False,
    mixes: Sequence[str] = (),
    decimals: int | None = None,
) -> ReadSets:
    """Scores of every set. The shift is found for each set by itself.

    Parameters
    ----------
    choices
        Of `Inputs.chosen`: columns, metrics, systems.
    further
        Of `read_inputs`: videos, corpus, annotators, seed, rules.
    mixes
        Learned metrics that are computed from the others.
    decimals
        To which scores of metrics are rounded; None for as they are.
    """
    names = [source.name for source in sources]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two sets are called {twice[0]!r}: give each its own name")
    unknown = sorted(set(whole) - set(names))
    if unknown:
        raise ValueError(
            f"--whole names {unknown[0]!r}, and there is no set of that name: name one of "
            f"{', '.join(names)}"
        )
    read = ReadSets()
    for source in sources:
        try:
            inputs = _inputs(source, scorer, whole.get(source.name), {**further, "learned": mixes})
            if without_references:
                inputs = inputs.without_references()
            inputs = inputs.chosen(**choices).mixed(mixes).rounded(decimals)
            read.add(source.name, inputs, shift)
        except ValueError as error:
            error.args = (f"set {source.name}: {error}", *error.args[1:])
            raise
    return read


def _inputs(
    source: Source, scorer: Scorer, whole: Path | None, further: Mapping[str, Any]
) -> Inputs:
    computes = bool(scorer.metrics)
    if not computes and source.metrics is None and not evalset.is_evalset(source.human):
        raise ValueError("there are no metric scores: --compute names metrics to compute")
    return read_inputs(
        source.human,
        metrics=[source.metrics] if source.metrics is not None and not computes else [],
        captions=[source.captions] if source.captions is not None else [],
        references=source.references,
        whole=whole,
        scorer=scorer,
        **further,
    )
