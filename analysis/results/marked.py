"""What several people marked and rated, put together as factvc-2023 does it. Pure.

A paragraph's score is the median of its levels; a sentence or a word is wrong when more than half
of those who judged it say so. A sentence is said to be wrong by marking anything in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from analysis.presenting.exports import Table
from analysis.reading.factuality import LONG, SCALE, Paragraph, Sentence
from analysis.stats.agreement import annotator_values, krippendorff_alpha
from hits.protocols import Scale
from hits.protocols.segments import Span, segments, words_by_sentence

Place = tuple[str, str]
"""A video and a system."""


@dataclass(frozen=True)
class Judged:
    """One person's answers about one paragraph."""

    annotator: str
    video: str
    system: str
    text: str
    score: int
    marks: tuple[Span, ...]
    labels: tuple[str, ...] = ()
    """Of all marks, those of what is missing among them."""

    @property
    def words(self) -> list[list[bool]]:
        """Which words are marked, by sentence."""
        return [
            [_holds(self.marks, start, end) for start, end in words]
            for words in words_by_sentence(self.text)
        ]

    @property
    def is_missing(self) -> bool:
        """Whether something is marked as left out."""
        return len(self.labels) > len(self.marks)

    @property
    def is_marked(self) -> bool:
        return bool(self.marks or self.labels)

    @property
    def pieces(self) -> Iterator[tuple[str, bool]]:
        """The text in parts, each with whether it is marked."""
        at = 0
        for start, end in self.marks:
            yield self.text[at:start], False
            yield self.text[start:end], True
            at = end
        yield self.text[at:], False


class Voted(Protocol):
    """What statistics ask of an answer: a `Judged` of the platform, or `Votes` of a file."""

    @property
    def annotator(self) -> str: ...
    @property
    def video(self) -> str: ...
    @property
    def system(self) -> str: ...
    @property
    def score(self) -> int: ...
    @property
    def words(self) -> list[list[bool]]: ...
    @property
    def is_marked(self) -> bool: ...


@dataclass(frozen=True)
class LevelAgreement:
    """Krippendorff's alpha at a level; of wrong or not, interval and nominal are the same."""

    level: str
    alpha: float
    units: int


AnyVoted = TypeVar("AnyVoted", bound=Voted)


@dataclass(frozen=True)
class PairF1:
    """How far two people marked the same words, of the paragraphs that both judged."""

    first: str
    second: str
    f1: float
    words: int


@dataclass(frozen=True)
class Control:
    """A caption with damaged words, as somebody judged it, and their answer about its original."""

    judged: Judged
    damage: Span
    original: Judged | None


@dataclass(frozen=True)
class ControlWords:
    """How well one person marks words that are known to be wrong."""

    annotator: str
    captions: int
    found: int  # captions with a damaged word that is marked
    words: int  # that are damaged
    recall: float
    precision: float


@dataclass(frozen=True)
class SystemErrors:
    """How often each kind of error is marked in a caption of a system, for one person."""

    system: str
    captions: int
    counts: Mapping[str, float]  # by label
    score: float  # minus the sum of the weights (MQM)


class Labelled(Protocol):
    """What counting kinds of errors asks of an answer: a `Judged`, or a `Kinds` of a file."""

    @property
    def video(self) -> str: ...
    @property
    def system(self) -> str: ...
    @property
    def labels(self) -> tuple[str, ...]: ...


def errors_by_system(
    judged: Sequence[Labelled], weights: Mapping[str, float]
) -> list[SystemErrors]:
    """Means over answers, the best score first.

    >>> both = [Judged("ann", "v", "s", "Add salt.", 50, (), labels) for labels in
    ...         (("major", "minor"), ("minor",))]
    >>> [found] = errors_by_system(both, {"minor": 1, "major": 5})
    >>> found.counts, found.score
    ({'minor': 1.0, 'major': 0.5}, -3.5)
    """
    own: defaultdict[str, list[Labelled]] = defaultdict(list)
    for each in judged:
        own[each.system].append(each)
    found = []
    for system, theirs in own.items():
        given = Counter(label for each in theirs for label in each.labels)
        counts = {label: given[label] / len(theirs) for label in weights}
        cost = sum(weight * counts[label] for label, weight in weights.items())
        found.append(SystemErrors(system, len(theirs), counts, -cost))
    return sorted(found, key=lambda each: (-each.score, each.system))


def errors_table(found: Sequence[SystemErrors]) -> Table:
    """As a file: a row for each system, with a column for each kind."""
    labels = list(found[0].counts) if found else []
    return {
        "system": np.array([each.system for each in found], object),
        "mqm": np.array([each.score for each in found]),
        **{label: np.array([each.counts[label] for each in found]) for label in labels},
        "answers": np.array([each.captions for each in found], np.int64),
    }


def mqm_scores(judged: Sequence[Labelled], weights: Mapping[str, float]) -> dict[Place, float]:
    """Of every caption: minus the sum of the weights of its marks, over people the mean.

    >>> both = [Judged("ann", "v", "s", "Add salt.", 50, (), labels) for labels in
    ...         (("major", "minor"), ("minor",))]
    >>> mqm_scores(both, {"minor": 1, "major": 5})
    {('v', 's'): -3.5}
    """
    costs: defaultdict[Place, list[float]] = defaultdict(list)
    for each in judged:
        costs[each.video, each.system].append(sum(weights[label] for label in each.labels))
    return {place: -float(np.mean(found)) for place, found in costs.items()}


def with_mqm(human: Table, judged: Sequence[Labelled], weights: Mapping[str, float]) -> Table:
    """Scores of captions with their MQM score, where marks have weights."""
    if not weights:
        return human
    scores = mqm_scores(judged, weights)
    places = zip(human["video"], human["system"], strict=True)
    return {**human, "mqm": np.array([scores[place] for place in places], np.float64)}


def by_paragraph(judged: Sequence[AnyVoted]) -> dict[Place, list[AnyVoted]]:
    found: defaultdict[Place, list[AnyVoted]] = defaultdict(list)
    for each in sorted(judged, key=lambda each: (each.video, each.system, each.annotator)):
        found[each.video, each.system].append(each)
    return dict(found)


def paragraphs(judged: Sequence[Voted]) -> list[Paragraph]:
    """Every paragraph as the crowd sees it.

    >>> both = [Judged(name, "v", "s", "Add salt. Stir.", score, marks) for name, score, marks in
    ...         (("ann", 2, ((4, 8),)), ("ben", 4, ((4, 8), (10, 14))), ("cid", 5, ()))]
    >>> paragraphs(both)[0].score, [one.is_wrong for one in paragraphs(both)[0].sentences]
    (4.0, [True, False])
    """
    return [
        Paragraph(
            video,
            system,
            float(median(each.score for each in people)),
            _sentences(people),
            is_marked=_most([each.is_marked for each in people]),
        )
        for (video, system), people in by_paragraph(judged).items()
    ]


def _sentences(people: Sequence[Voted]) -> tuple[Sentence, ...]:
    votes = [each.words for each in people]
    found = []
    for said in zip(*votes, strict=True):
        marks = tuple(_most([person[at] for person in said]) for at in range(len(said[0])))
        is_wrong = _most([any(person) for person in said])
        found.append(Sentence(len(marks), sum(marks), is_wrong, marks=marks))
    return tuple(found)


def _most(votes: Sequence[bool]) -> bool:
    return 2 * sum(votes) > len(votes)


def annotated(
    judged: Sequence[Judged], scale: Scale = SCALE
) -> dict[str, dict[str, dict[str, object]]]:
    """As the authors publish it: the median, and words that most marked between brackets.

    Brackets of the caption itself are written as parentheses, or they would be read as marks.
    Where marks and not the score say what is wrong, so does `is_marked`.
    """
    by_marks = not scale.is_ordinal
    found: dict[str, dict[str, dict[str, object]]] = {}
    for (video, system), people in by_paragraph(judged).items():
        score = median(each.score for each in people)
        told: dict[str, object] = {
            "paragraph_score": int(score) if score == int(score) else score,
            "sentences": list(_bracketed(people)),
        }
        if by_marks:
            told["is_marked"] = _most([each.is_marked for each in people])
        found.setdefault(video, {})[system] = told
    return found


_ROUND = str.maketrans("[]", "()")


def _bracketed(people: Sequence[Judged]) -> Iterator[str]:
    text, votes = people[0].text, [each.words for each in people]
    spans_by_sentence = words_by_sentence(text)
    text = text.translate(_ROUND)
    for place, spans in enumerate(spans_by_sentence):
        wrong = [_most([vote[place][at] for vote in votes]) for at in range(len(spans))]
        pieces = [
            ("[" if bad and (at == 0 or not wrong[at - 1]) else "")
            + text[start:end]
            + ("]" if bad and (at + 1 == len(spans) or not wrong[at + 1]) else "")
            for at, ((start, end), bad) in enumerate(zip(spans, wrong, strict=True))
        ]
        yield " ".join(pieces)


def agreements(judged: Sequence[Voted]) -> list[LevelAgreement]:
    """Between people, over paragraphs, sentences and words."""
    values: dict[str, list[tuple[str, tuple[object, ...], float]]] = defaultdict(list)
    for each in judged:
        place = (each.video, each.system)
        values["paragraph"].append((each.annotator, place, float(each.score)))
        for at, words in enumerate(each.words):
            values["sentence"].append((each.annotator, (*place, at), float(any(words))))
            values["word"] += [
                (each.annotator, (*place, at, word), float(is_wrong))
                for word, is_wrong in enumerate(words)
            ]
    return [_agreement(level, rows) for level, rows in values.items()]


def _agreement(level: str, rows: Sequence[tuple[str, tuple[object, ...], float]]) -> LevelAgreement:
    people = _numbered([name for name, _, _ in rows])
    units = _numbered([unit for _, unit, _ in rows])
    shared = annotator_values(
        np.array([people[name] for name, _, _ in rows]),
        np.array([units[unit] for _, unit, _ in rows]),
        np.array([value for _, _, value in rows]),
    )
    found = krippendorff_alpha(shared)
    return LevelAgreement(level, found.alpha, found.units)


def _numbered(keys: Sequence[Hashable]) -> dict[Hashable, int]:
    return {key: number for number, key in enumerate(dict.fromkeys(keys))}


def agreement_tables(judged: Sequence[Voted]) -> dict[str, Table]:
    """How far people agree, as files: alpha by level, and F1 of every two people."""
    levels, pairs = agreements(judged), pair_f1(judged)
    return {
        "agreement": {
            "level": np.array([each.level for each in levels], object),
            "alpha": np.array([each.alpha for each in levels]),
            "units": np.array([each.units for each in levels], np.int64),
        },
        "pairs": {
            "first": np.array([each.first for each in pairs], object),
            "second": np.array([each.second for each in pairs], object),
            "f1": np.array([each.f1 for each in pairs], np.float64),
            "words": np.array([each.words for each in pairs], np.int64),
        },
    }


def pair_f1(judged: Sequence[Voted]) -> list[PairF1]:
    """For every two people; not defined where neither marked a word."""
    marked: defaultdict[str, dict[Place, list[bool]]] = defaultdict(dict)
    for each in judged:
        words = [is_wrong for sentence in each.words for is_wrong in sentence]
        marked[each.annotator][each.video, each.system] = words
    found = []
    for first, second in combinations(sorted(marked), 2):
        shared = sorted(marked[first].keys() & marked[second].keys())
        if shared:
            one, other = (_flat(marked[name], shared) for name in (first, second))
            total = int(one.sum() + other.sum())
            f1 = 2 * int((one & other).sum()) / total if total else float("nan")
            found.append(PairF1(first, second, f1, len(one)))
    return found


def _flat(marked: Mapping[Place, list[bool]], shared: Sequence[Place]) -> NDArray[np.bool_]:
    return np.array([is_wrong for place in shared for is_wrong in marked[place]], dtype=bool)


def control_words(controls: Sequence[Control]) -> list[ControlWords]:
    """Recall and precision of everybody on damaged words.

    A word that is marked in the original, too, says nothing about the damage and is left out.

    >>> original = Judged("ann", "v", "s", "A man rides a horse.", 4, ((2, 5),))
    >>> damaged = Judged("ann", "v", "s", "A man eats soup horse.", 1, ((2, 10),))
    >>> found = control_words([Control(damaged, (6, 15), original)])[0]
    >>> found.recall, found.precision
    (0.5, 1.0)
    """
    counts: defaultdict[str, NDArray[np.int64]] = defaultdict(lambda: np.zeros(5, np.int64))
    for control in controls:
        damaged, marked, both = _control_counts(control)
        counts[control.judged.annotator] += (1, both > 0, damaged, marked, both)
    return [
        ControlWords(
            name,
            int(captions),
            int(found),
            int(damaged),
            recall=float(both / damaged) if damaged else float("nan"),
            precision=float(both / marked) if marked else float("nan"),
        )
        for name, (captions, found, damaged, marked, both) in sorted(counts.items())
    ]


def _control_counts(control: Control) -> tuple[int, int, int]:
    """Words that are damaged; that are marked, but not in the original; and that are both."""
    (first, stop), judged, original = control.damage, control.judged, control.original
    longer = len(original.text) - len(judged.text) if original else 0
    damaged = marked = both = 0
    for start, end in segments(judged.text, "word"):
        is_damaged = first < end and start < stop
        is_marked = _holds(judged.marks, start, end)
        if not is_damaged and original:  # the same word stands here, or as far from the end
            moved = longer if start >= stop else 0
            is_marked = is_marked and not _holds(original.marks, start + moved, end + moved)
        damaged, marked = damaged + is_damaged, marked + is_marked
        both += is_damaged and is_marked
    return damaged, marked, both


def _holds(marks: Sequence[Span], start: int, end: int) -> bool:
    return any(a <= start and end <= b for a, b in marks)


def long_table(judged: Sequence[Judged]) -> Table:
    """Every answer: `annotator,video,system,level,sentence,word,value`; 1 is wrong."""
    rows: list[tuple[object, ...]] = []
    for each in judged:
        who = (each.annotator, each.video, each.system)
        rows.append((*who, "paragraph", "", "", each.score))
        if each.is_missing:
            rows.append((*who, "missing", "", "", 1))
        for at, words in enumerate(each.words):
            rows.append((*who, "sentence", str(at), "", int(any(words))))
            rows += [(*who, "word", str(at), str(n), int(bad)) for n, bad in enumerate(words)]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(LONG)
    table = {name: np.array(column, object) for name, column in zip(LONG, columns, strict=True)}
    return table | {"value": table["value"].astype(np.int64)}
