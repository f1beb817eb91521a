"""Files of answers that are more than a number: marked words, kinds of errors, written captions."""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any, Final

import numpy as np

from analysis.presenting.exports import Table
from analysis.reading import answers, factuality
from analysis.reading.answers import Answers
from analysis.reading.factuality import Paragraph
from analysis.reading.files import Beginning
from analysis.results.factuality import TABLES as MARKED
from analysis.results.factuality import factuality_tables, rule_of
from analysis.results.marked import (
    agreement_tables,
    errors_by_system,
    errors_table,
    paragraphs,
    with_mqm,
)
from analysis.results.phrases import installed_tagger
from analysis.results.written import Written, doubts
from hits.protocols import AnnotationProtocol, protocol_named, protocols

TABLES: Final = (*MARKED, "kinds", "written")


@dataclass(frozen=True)
class FoundTables:
    """Tables by name, and sentences for the person at the terminal."""

    tables: Mapping[str, Table]
    sentences: Sequence[str] = field(default_factory=list)


def add_marked(parser: argparse.ArgumentParser) -> None:
    """Options of files of marks, answers and written captions."""
    parser.add_argument(
        "--categories",
        type=Path,
        metavar="FILE",
        help="phrases.csv of an earlier run over marked paragraphs, with the suggested kinds "
        "of errors corrected: categories.csv has their shares",
    )
    parser.add_argument(
        "--weights",
        type=_weights,
        metavar="NAME=WEIGHT,…",
        help="what a mark of each severity costs (default minor=1,major=5)",
    )
    parser.add_argument(
        "--language",
        default="",
        help="in which captions should be written (default: that of most of them)",
    )


def tables_in(path: Path, start: Beginning, options: Mapping[str, Any]) -> FoundTables | None:
    """What a file of answers gives; nothing where it is one of ratings."""
    asked = protocols()[options["protocol"]]
    if answers.recognises(start):
        return _of_answers(path, asked, options)
    marking = asked if asked.marks else protocol_named("factuality")
    if factuality.recognises(path, start):
        return _of_paragraphs(factuality.read(path, marking.scale), {}, marking, options)
    if factuality.recognises_long(start):
        votes = factuality.read_long(path, marking.scale)
        return _of_paragraphs(paragraphs(votes), agreement_tables(votes), marking, options)
    return None


def _of_paragraphs(
    found: Sequence[Paragraph],
    more: Mapping[str, Table],
    asked: AnnotationProtocol,
    options: Mapping[str, Any],
) -> FoundTables:
    """How much of what systems say is wrong.

    ``more`` are tables that only answers of several people give.
    """
    given = options["categories"]
    tables = factuality_tables(
        found,
        rng=np.random.default_rng(options["seed"]),
        draws=options["draws"],
        categories=factuality.read_categories(given) if given else None,
        is_wrong=rule_of(asked.scale),
        tagger=installed_tagger(),
    )
    if not any(one.text for each in found for one in each.sentences):  # who marked, not what
        del tables["phrases"], tables["categories"]
    said = [
        f"{units:,} {level}s: {wrong:,} ({100 * share:.1f} %) wrong."
        for level, units, wrong, share in zip(*tables["errors"].values(), strict=True)
    ]
    said += [
        f"Agreement on {units:,} {level}s: alpha = {alpha:.3f}."
        for level, alpha, units in zip(*more.get("agreement", {}).values(), strict=True)
    ]
    return FoundTables({**tables, **more}, said)


def _of_answers(path: Path, asked: AnnotationProtocol, options: Mapping[str, Any]) -> FoundTables:
    """Kinds of errors, and a caption's answers over people; or what people wrote."""
    found = answers.read(path)
    if any(answers.WRITTEN in each.said for each in found):
        return _of_written(found, options["language"])
    human = _human(found)
    tables: dict[str, Table] = {}
    if asked.weights or any(each.labels for each in found):
        severities = options["weights"] or _severities(asked)
        known = () if options["weights"] else asked.weights
        weights = answers.weights_of(path, found, severities, known)
        human = with_mqm(human, found, weights)
        tables["kinds"] = errors_table(errors_by_system(found, weights))
    said = f"{len(found):,} answers about {len(human['video']):,} captions."
    return FoundTables({**tables, "human": human}, [said])


def _severities(asked: AnnotationProtocol) -> dict[str, float]:
    marking = asked if asked.weights else protocol_named("mqm")
    return dict(marking.marks[0].severities)


def _human(found: Sequence[Answers]) -> Table:
    """Of every caption the median score, and the mean of every other number that was asked for."""
    given: defaultdict[str, defaultdict[tuple[str, str], list[float]]]
    given = defaultdict(lambda: defaultdict(list))
    for each in found:
        for question, value in each.said.items():
            if (number := _number(value)) is not None:
                given[question][each.video, each.system].append(number)
    places = sorted({(each.video, each.system) for each in found})
    table: dict[str, Any] = {
        "video": np.array([video for video, _ in places], object),
        "system": np.array([system for _, system in places], object),
    }
    for question, numbers in given.items():
        middle, name = (median, "paragraph") if question == "score" else (mean, question)
        table[name] = np.array(
            [middle(numbers[place]) if place in numbers else math.nan for place in places]
        )
    return table


def _number(value: str) -> float | None:
    """
    >>> _number("7"), _number("It is short."), _number("")
    (7.0, None, None)
    """
    return float(value) if value.isascii() and value.isdecimal() else None


def _of_written(found: Sequence[Answers], language: str) -> FoundTables:
    """Every written caption with what is doubtful about it, doubtful ones first."""
    captions = [
        Written(number, each.video, each.annotator, each.said[answers.WRITTEN])
        for number, each in enumerate(found)
        if answers.WRITTEN in each.said
    ]
    why = doubts(captions, language=language)
    captions.sort(key=lambda one: (one.rating not in why, one.video, one.rating))
    table: Table = {
        "video": np.array([one.video for one in captions], object),
        "annotator": np.array([one.annotator for one in captions], object),
        "caption": np.array([one.text for one in captions], object),
        "doubts": np.array(["; ".join(why.get(one.rating, ())) for one in captions], object),
    }
    said = f"{len(captions):,} captions, {len(why):,} of them doubtful: read these before use."
    return FoundTables({"written": table}, [said])


def _weights(text: str) -> dict[str, float]:
    """
    >>> _weights("minor=1,major=2.5")
    {'minor': 1.0, 'major': 2.5}
    """
    try:
        pairs = [part.split("=") for part in text.split(",")]
        found = {name.strip(): float(weight) for name, weight in pairs}
    except ValueError:
        raise argparse.ArgumentTypeError("names with numbers, as in minor=1,major=5") from None
    if not all(math.isfinite(weight) and weight >= 0 for weight in found.values()):
        raise argparse.ArgumentTypeError("weights are numbers from 0 up")
    return found
