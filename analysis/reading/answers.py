"""Every answer to every question, as the platform writes them: a row each, and one for every mark.

The columns are `QUESTIONS`. Answers about hidden controls are in the file, and left out here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from analysis.reading.files import Beginning, beginning, fault, plain, table
from daplatform.tables import FirstFault, Kind
from daplatform.tables.formulas import as_written

QUESTIONS: Final = (
    "annotator", "video", "system", "kind", "question", "start", "end", "value"
)  # fmt: skip
Place = tuple[str, str, str]
"""An annotator, a video and a system."""
WRITTEN: Final = "caption"
"""The question that is answered by writing a caption."""
_COUNTED: Final = "system"


@dataclass(frozen=True)
class Answers:
    """What one person said about one caption, without where its marks stand."""

    annotator: str
    video: str
    system: str
    labels: tuple[str, ...]
    """Of all marks."""
    said: dict[str, str] = field(default_factory=dict)
    """The answer to every other question."""


def recognises(start: Beginning) -> bool:
    return not start.is_parquet and set(QUESTIONS) <= {name.strip() for name in start.cells}


def read(path: Path) -> list[Answers]:
    """Everybody's answers, in the order of the file."""
    with plain(path, FirstFault()) as source:
        columns, _ = table(source, beginning(source).delimiter)
    labels: defaultdict[Place, list[str]] = defaultdict(list)
    said: defaultdict[Place, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for *who, kind, question, start, _, value in zip(*(columns[n] for n in QUESTIONS), strict=True):
        annotator, video, system = (as_written(name.strip()) for name in who)
        if kind.strip() == _COUNTED and start.strip():
            labels[annotator, video, system].append(as_written(value.strip()))
        elif kind.strip() == _COUNTED:
            told = said[annotator, video, system][question.strip()]
            told.append(as_written(value.strip()))
    found = [
        each
        for place in dict.fromkeys((*said, *labels))
        for each in _answers(place, said[place], labels[place])
    ]
    if not found:
        raise fault(path, None, "There are no answers.", "Add some.", Kind.EMPTY_FILE)
    return found


def _answers(
    place: Place, said: Mapping[str, Sequence[str]], labels: Sequence[str]
) -> Iterator[Answers]:
    """A person may judge a caption in several HITs. Which marks are whose, rows do not tell."""
    for at in range(max(map(len, said.values()), default=1)):
        own = {question: values[at] for question, values in said.items() if at < len(values)}
        yield Answers(*place, () if at else tuple(labels), own)


def weights_of(
    path: Path, found: Iterable[Answers], severities: dict[str, float], known: Iterable[str]
) -> dict[str, float]:
    """What a mark of each label costs: the labels that are ``known``, and those in the file."""
    used = [label for each in found for label in each.labels]
    weights = {}
    for label in dict.fromkeys((*known, *used)):
        severity = label.rpartition("/")[2]
        if severity not in severities:
            raise fault(
                path, None, f"Marks of the severity {severity!r} have no weight.",
                f"Name all weights, as in --weights {severity}=1,…",
            )  # fmt: skip
        weights[label] = severities[severity]
    return weights
