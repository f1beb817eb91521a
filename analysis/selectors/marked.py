"""What people marked in captions and how they rated them, in the form the statistics want."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import mean
from typing import Any

import numpy as np
from django.db.models import QuerySet

from analysis.models import PhraseCategory
from analysis.presenting.exports import Table, records
from analysis.reading.answers import QUESTIONS
from analysis.results.factuality import factuality_tables, rule_of
from analysis.results.filled import FilledAnswer, Filling, filling
from analysis.results.marked import (
    Control,
    ControlWords,
    Judged,
    LevelAgreement,
    PairF1,
    SystemErrors,
    agreements,
    control_words,
    errors_by_system,
    pair_f1,
    paragraphs,
)
from analysis.results.phrases import (
    CategoryShare,
    Example,
    Phrase,
    category_shares,
    examples,
    phrases,
)
from analysis.selectors.marks_counting import NotCounted, not_counted
from analysis.selectors.ratings import same_captions
from annotations.models import Annotator, Correction, FormAnswers, Mark, Rating
from crowds.selectors.counting import assignments_left_out
from hits.models import Campaign, HitItem
from hits.protocols.filling import FilledMark
from hits.selectors.damage import damages

SEED = 7
DRAWS = 1_000


@dataclass(frozen=True, order=True)
class Wording:
    """A caption as it was before it was damaged; of several, the highest is in use."""

    is_current: bool
    pk: int
    system: int
    text: str
    is_merged: bool  # asked once for all systems with the same words


@dataclass(frozen=True)
class Answered:
    """The last answers of a person about one item."""

    assignment: int
    video: int
    item: int
    kind: str
    original: int | None
    revision: int
    caption: Wording
    judged: Judged
    marks: tuple[FilledMark, ...] = ()
    filled: tuple[FilledMark, ...] | None = None  # before; of people who saw none, what others saw
    sees_filled: bool | None = None


@dataclass(frozen=True)
class AnsweredVideo:
    """What a person said of all captions of a video, and what they were told about it since."""

    assignment: int
    video: int
    name: str
    answers: list[Answered]
    corrections: list[Correction]

    @property
    def is_sent_back(self) -> bool:
        return any(each.done_at is None for each in self.corrections)


@dataclass(frozen=True)
class Factuality:
    """What the page *Factuality* shows and the API tells.

    Parameters
    ----------
    answers : judgements that count
    older : judgements of captions that were corrected since, which do not count
    unfinished, failed : people whose work is not complete, or who found too few damaged words, and
        who do not count where the campaign has such a rule
    errors, systems : rows of `analysis.results.factuality.factuality_tables`
    kinds : errors by system where marks have kinds, and nothing where they have none
    filled : what became of marks that were filled in; nothing where none were
    """

    answers: int
    older: int
    unfinished: int
    failed: tuple[str, ...]
    people: list[dict[str, Any]]
    errors: list[dict[str, Any]]
    systems: list[dict[str, Any]]
    agreements: list[LevelAgreement]
    controls: list[ControlWords]
    pairs: list[PairF1]
    phrases: list[Phrase]
    shares: list[CategoryShare]
    examples: list[Example]
    kinds: list[SystemErrors]
    filled: Filling | None


def factuality_of(campaign: Campaign) -> Factuality:
    """Errors by level and by system, agreement, controls, and what was marked more than once."""
    given = answers_given(campaign)
    controls = control_words(controls_of(given))
    rule = not_counted(campaign, controls)
    used = _without(rule, given)
    last = without_older(used)
    judged = judged_in(credited_to_all(campaign, last))
    found = phrases_marked(campaign, judged)
    tables = _tables(campaign, judged) if judged else {}
    return Factuality(
        answers=len(judged),
        older=len(used) - len(last),
        unfinished=len({each.assignment for each in given} & rule.unfinished),
        failed=rule.failed,
        people=people_marking(campaign, judged_in(last)),
        errors=records(tables.get("errors", {})),
        systems=records(tables.get("systems", {})),
        agreements=agreements(judged),
        controls=controls,
        pairs=pair_f1(judged),
        phrases=found,
        shares=category_shares(found) if found else [],
        examples=_with_posters(campaign, examples(found, judged)),
        kinds=_kinds(campaign, judged),
        filled=filling(answers_filled(last), rng=np.random.default_rng(SEED), draws=DRAWS),
    )


def _with_posters(campaign: Campaign, found: list[Example]) -> list[Example]:
    shown = campaign.videos.filter(name__in={each.video for each in found}).exclude(poster="")
    posters = dict(shown.values_list("name", "pk"))
    return [replace(each, poster=posters.get(each.video)) for each in found]


def _tables(campaign: Campaign, judged: list[Judged]) -> dict[str, Table]:
    rule, rng = rule_of(campaign.asked.scale), np.random.default_rng(SEED)
    return factuality_tables(paragraphs(judged), rng=rng, draws=DRAWS, is_wrong=rule)


def _kinds(campaign: Campaign, judged: list[Judged]) -> list[SystemErrors]:
    weights = campaign.asked.weights
    return errors_by_system(judged, weights) if weights else []


def answers_filled(answers: list[Answered]) -> list[FilledAnswer]:
    """Those about captions of systems that come with marks, by people who were dealt to a group."""
    return [
        FilledAnswer(said.annotator, said.video, said.system, seen, before, each.marks, said.score)
        for each in answers
        for said, seen, before in [(each.judged, each.sees_filled, each.filled)]
        if each.kind == HitItem.Kind.SYSTEM and before is not None and seen is not None
    ]


def judged_paragraphs(campaign: Campaign) -> list[Judged]:
    """The last answers of everybody whose work counts, of captions that systems wrote."""
    return judged_in(answers_counting(campaign))


def judged_in(answers: list[Answered]) -> list[Judged]:
    """Without the controls."""
    return [each.judged for each in answers if each.kind == HitItem.Kind.SYSTEM]


def answers_counting(campaign: Campaign) -> list[Answered]:
    """The last answers of everybody whose work counts, controls among them.

    Of a caption that was corrected, those about its last wording; where identical captions were
    merged, once for each system.
    """
    return credited_to_all(campaign, answers_once(campaign))


def answers_once(campaign: Campaign) -> list[Answered]:
    """The same as they were given: once, where identical captions were merged."""
    given = answers_given(campaign)
    rule = not_counted(campaign, control_words(controls_of(given)))
    return without_older(_without(rule, given))


def _without(rule: NotCounted, answers: list[Answered]) -> list[Answered]:
    return [each for each in answers if not rule.holds(each.assignment, each.judged.annotator)]


def answers_given(campaign: Campaign, **which: Any) -> list[Answered]:
    """The same as they were given, whatever became of the captions and whatever the rule says."""
    if not campaign.asked.marks:
        return []
    ratings = Rating.objects.filter(campaign=campaign, **which)
    return _answered(ratings.exclude(assignment__in=assignments_left_out(campaign)))


def without_older(answers: list[Answered]) -> list[Answered]:
    """Of each system's caption of a video, answers about one wording, as marks are places in it."""
    used: dict[tuple[int, int], Wording] = {}
    for each in answers:
        place = (each.video, each.caption.system)
        used[place] = max(each.caption, used.get(place, each.caption))
    return [
        each
        for each in answers
        if each.kind != HitItem.Kind.SYSTEM
        or each.caption.pk == used[each.video, each.caption.system].pk
    ]


def credited_to_all(campaign: Campaign, answers: list[Answered]) -> list[Answered]:
    """Every answer once for each system that wrote the caption, as the ranking counts them."""
    if not any(each.caption.is_merged for each in answers):
        return answers
    twins, names = same_captions(campaign), dict(campaign.systems.values_list("pk", "name"))
    return answers + [
        replace(each, judged=replace(each.judged, system=names[twin]))
        for each in answers
        if each.kind == HitItem.Kind.SYSTEM and each.caption.is_merged
        for twin in twins[each.caption.system, each.video]
    ]


def answered_videos(campaign: Campaign, annotator: Annotator) -> list[AnsweredVideo]:
    """What one person said, video by video in the order they saw them."""
    if not campaign.asked.marks:
        return []
    corrections: defaultdict[tuple[int, int], list[Correction]] = defaultdict(list)
    theirs = Correction.objects.filter(assignment__campaign=campaign)
    for each in theirs.filter(assignment__annotator=annotator):
        corrections[each.assignment_id, each.video_id].append(each)
    answers = _answered(Rating.objects.filter(campaign=campaign, annotator=annotator))
    return [
        AnsweredVideo(*place, page[0].judged.video, page, corrections[place])
        for place, found in groupby(answers, key=lambda each: (each.assignment, each.video))
        for page in [list(found)]
    ]


def controls_of(answers: list[Answered]) -> list[Control]:
    """The captions with damaged words, each with what was said of its original, if it was shown."""
    judged = {(each.assignment, each.item): each.judged for each in answers}
    shown = [each.item for each in answers if each.kind == HitItem.Kind.DEGRADED]
    items = HitItem.objects.filter(pk__in=shown).select_related("caption") if shown else ()
    found = damages(items)
    return [
        Control(
            each.judged,
            damage.span,
            judged.get((each.assignment, each.original or 0))
            if damage.is_beside_original
            else None,
        )
        for each in answers
        if (damage := found.get(each.item))
    ]


def phrases_marked(campaign: Campaign, judged: list[Judged]) -> list[Phrase]:
    """What was marked more than once, with the categories that people decided on."""
    rows = PhraseCategory.objects.filter(campaign=campaign)
    marked = (each.text[start:end] for each in judged for start, end in each.marks)
    return phrases(marked, dict(rows.values_list("phrase", "category")))


def people_marking(campaign: Campaign, judged: list[Judged]) -> list[dict[str, object]]:
    """What each person has done so far, and how much of it was sent back."""
    mine: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        mine[each.annotator].append(each)
    corrections = Correction.objects.filter(assignment__campaign=campaign)
    told = Counter(
        (name, done_at is None)
        for name, done_at in corrections.values_list("assignment__annotator__pseudonym", "done_at")
    )
    return [
        {
            "name": name,
            "videos": len({each.video for each in theirs}),
            "captions": len(theirs),
            "marked": sum(bool(each.marks) for each in theirs),
            "level": mean(each.score for each in theirs),
            "sent_back": told[name, True],
            "corrected": told[name, False],
        }
        for name, theirs in sorted(mine.items())
    ]


def answers_by_question(campaign: Campaign) -> list[dict[str, object]]:
    """The last answers of everybody whose work counts, a row for each; one for every mark."""
    ratings = Rating.objects.filter(campaign=campaign, answers__isnull=False)
    ratings = ratings.exclude(assignment__in=assignments_left_out(campaign))
    rows = ratings.order_by("assignment", "position", "revision").values_list(
        "assignment",
        "position",
        "annotator__pseudonym",
        "caption__video__name",
        "caption__system__name",
        "kind",
        "answers",
    )
    latest: dict[tuple[int, int], tuple[Any, ...]] = {row[:2]: row[2:] for row in rows}
    return [
        dict(zip(QUESTIONS, (*who, question, *part), strict=True))
        for *who, answers in latest.values()
        for question, answer in answers.items()
        for part in _parts(answer)
    ]


def forms_answered(campaign: Campaign, **which: Any) -> list[dict[str, str]]:
    """What each person said of themselves, if they were not erased."""
    rows = FormAnswers.objects.filter(assignment__campaign=campaign, **which).order_by("pk")
    found = rows.values_list("assignment__annotator__pseudonym", "answers")
    empty = {asked["name"]: "" for asked in campaign.form}
    return [{"annotator": name} | empty | answers for name, answers in found]


def _parts(answer: Any) -> list[tuple[object, object, object]]:
    """First character, the one after the last, and what was said."""
    if isinstance(answer, list):
        return [(str(start), str(end), label) for start, end, label in answer]
    return [("", "", str(answer["text"] if isinstance(answer, dict) else answer))]


def _answered(ratings: QuerySet[Rating]) -> list[Answered]:
    """By assignment and position."""
    marks: defaultdict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for rating, start, end, label in Mark.objects.filter(rating__in=ratings).values_list(
        "rating", "start", "end", "label"
    ):
        marks[rating].append((start, end, label))
    rows = ratings.order_by("assignment", "position", "revision").values_list(
        "assignment",
        "position",
        "pk",
        "caption__video",
        "item",
        "kind",
        "original",
        "revision",
        "caption__retired_at",
        "caption",
        "caption__system",
        "caption__text",
        "assignment__hit__batch__merge_identical",
        "item__degraded_text",
        "annotator__pseudonym",
        "caption__video__name",
        "caption__system__name",
        "score",
        "caption__filled",
        "assignment__sees_filled",
    )
    latest: dict[tuple[int, int], tuple[Any, ...]] = {row[:2]: row for row in rows}
    return [
        Answered(
            assignment, video, item, kind, original, revision,
            Wording(retired is None, caption, written_by, text, is_merged),
            _judged(name, clip, system, damaged or text, score, sorted(marks[pk])),
            tuple(sorted(marks[pk])),
            None if filled is None else tuple((start, end, said) for start, end, said in filled),
            sees,
        )
        for (
            assignment, _, pk, video, item, kind, original, revision,
            retired, caption, written_by, text, is_merged, damaged,
            name, clip, system, score, filled, sees,
        ) in latest.values()
    ]  # fmt: skip


def _judged(
    name: str, clip: str, system: str, text: str, score: int, marks: list[tuple[int, int, str]]
) -> Judged:
    """What is missing stands past the end of the text, where no words are."""
    spans = tuple((start, end) for start, end, _ in marks if start < len(text))
    return Judged(name, clip, system, text, score, spans, tuple(label for *_, label in marks))
