"""Annotators of a campaign, under their pseudonyms: how each of them works."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, OuterRef, QuerySet

from analysis.models import Result
from analysis.presenting.exports import records
from analysis.presenting.listings import (
    ANNOTATORS,
    FLAGS,
    arranged,
    as_table,
    containing,
    flag_shown,
    matching,
)
from analysis.selectors.attention import attention_by_person
from analysis.selectors.results import result_listing
from annotations.models import Annotator, Assignment
from crowds.decisions import Case, use_reason, uses
from crowds.models import Exclusion
from crowds.selectors.counting import annotators_left_out, annotators_vouched_for, ratings_confirmed
from hits.models import Campaign, HitItem
from hits.selectors import replaced_words

if TYPE_CHECKING:
    import pyarrow as pa

STATUSES = ("passed", "failed", "insufficient")
LEFT_OUT = "left out"


def annotators_listed(
    result: Result, *, search: str = "", show: str = "", sort: str = ""
) -> pa.Table:
    """The rows that are asked for, in the order asked for.

    Who has no rating in the result because their work was left out is listed too, without numbers:
    they can still be written to, or excluded.
    """
    import pyarrow.compute as pc

    listed = _with_left_out(result_listing(result, ANNOTATORS), result.campaign)
    listed = containing(listed, search, ["annotator"])
    if show in STATUSES:
        listed = matching(listed, "status", [show])
    elif show == "commented":
        listed = matching(listed, "annotator", list(comments_on(result.campaign)))
    elif show == "inattentive":
        checked = attention_by_person(result.campaign).items()
        missed = [name for name, each in checked if each.passed < each.checks]
        listed = matching(listed, "annotator", missed)
    elif show == "flagged":
        listed = listed.filter(pc.not_equal(listed["flags"], ""))
    elif show:
        listed = containing(listed, show, ["flags"])
    return arranged(listed, sort or "annotator")


def _with_left_out(listed: pa.Table, campaign: Campaign) -> pa.Table:
    """Counts of those added are 0, everything else about their work is undefined."""
    import pyarrow as pa

    known = set(listed["annotator"].to_pylist())
    left_out = annotators_left_out(campaign)
    absent = {name: left_out[name] for name in sorted(left_out.keys() - known)}
    columns: dict[str, list[Any]] = {
        field.name: [0 if pa.types.is_integer(field.type) else math.nan] * len(absent)
        for field in listed.schema
    }
    columns["annotator"], columns["status"] = list(absent), [LEFT_OUT] * len(absent)
    columns["flags"] = ["rejected" if is_rejected else "" for is_rejected in absent.values()]
    return pa.concat_tables([listed, pa.table(columns, listed.schema)])


def annotator_listed(result: Result, annotator: Annotator) -> dict[str, Any] | None:
    """One person's row; None before any of their ratings were analysed."""
    listed = matching(result_listing(result, ANNOTATORS), "annotator", [annotator.pseudonym])
    rows = annotator_rows(result.campaign, listed)
    if not rows:
        return None
    known = uses_explained(result, {annotator.pseudonym: rows[0]["status"]})
    return rows[0] | known[annotator.pseudonym]


def uses_explained(result: Result, statuses: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Whether a result uses the ratings of these people, by pseudonym, and why.

    ``statuses`` is what quality control says of each.
    """
    rule = "everyone" if result.choices.get("keep_all_annotators") else "passed"
    vouched = set(annotators_vouched_for(result.campaign))
    cases = {name: Case(True, status, vouched=name in vouched) for name, status in statuses.items()}
    return {
        name: {"used": bool(uses(rule, case)), "used_because": use_reason(rule, case)}
        for name, case in cases.items()
    }


def annotators_analysed(result: Result, pseudonyms: Sequence[str]) -> list[dict[str, Any]]:
    """What is known of each of these people's work, as far as it was analysed."""
    listed = matching(result_listing(result, ANNOTATORS), "annotator", list(pseudonyms))
    return [row | {"flags": row["flags"].split(";")} for row in listed.to_pylist()]


def annotator_rows(campaign: Campaign, listed: pa.Table) -> list[dict[str, Any]]:
    """Rows as a page shows them: flags with their reasons, and what people wrote."""
    rows = records(as_table(listed))
    names = [row["annotator"] for row in rows]
    comments = comments_on(campaign, names)
    excluded = excluded_from(campaign, names)
    attention = attention_by_person(campaign)
    return [
        row
        | {
            "flags": [(flag_shown(flag), FLAGS[flag]) for flag in row["flags"].split(";") if flag],
            "comments": comments.get(row["annotator"], []),
            "is_excluded": row["annotator"] in excluded,
            "attention": attention.get(row["annotator"]),
        }
        for row in rows
    ]


def excluded_from(campaign: Campaign, pseudonyms: Collection[str]) -> set[str]:
    """Who of these gets no more HITs of the campaign's owner."""
    rows = Exclusion.objects.filter(owner=campaign.owner_id, annotator__pseudonym__in=pseudonyms)
    return set(rows.values_list("annotator__pseudonym", flat=True))


def comments_on(
    campaign: Campaign, pseudonyms: Collection[str] | None = None
) -> dict[str, list[str]]:
    """What annotators wrote when they handed in their work, by pseudonym."""
    turns = Assignment.objects.filter(campaign=campaign, slot__isnull=False)
    turns = turns.exclude(comment="").order_by("pk")
    if pseudonyms is not None:
        turns = turns.filter(annotator__pseudonym__in=pseudonyms)
    comments: defaultdict[str, list[str]] = defaultdict(list)
    for pseudonym, comment in turns.values_list("annotator__pseudonym", "comment"):
        comments[pseudonym].append(comment)
    return dict(comments)


def campaign_annotators(campaign: Campaign) -> QuerySet[Annotator]:
    """Everybody who took work of the campaign."""
    turns = Assignment.objects.filter(campaign=campaign, annotator=OuterRef("pk"))
    return Annotator.objects.filter(Exists(turns))


def annotator_turns(campaign: Campaign, annotator: Annotator) -> QuerySet[Assignment]:
    """Each HIT this person took, in the order they took them."""
    turns = annotator.assignments.filter(campaign=campaign)
    return turns.select_related("hit__batch").order_by("claimed_at", "pk")


@dataclass(frozen=True)
class Answer:
    """The last word of a person on one item."""

    assignment: int
    item: int
    original: int | None
    kind: str
    score: int
    served_at: datetime
    created_at: datetime

    @property
    def seconds(self) -> float:
        return max((self.created_at - self.served_at).total_seconds(), 0.0)


def annotator_answers(campaign: Campaign, annotator: Annotator, *, until: int) -> list[Answer]:
    """What counts of a person's ratings up to the id ``until``, in the order they were given."""
    rows = ratings_confirmed(campaign).filter(pk__lte=until)
    later = rows.filter(
        assignment=OuterRef("assignment"),
        position=OuterRef("position"),
        revision__gt=OuterRef("revision"),
    )
    last = rows.filter(~Exists(later), annotator=annotator).order_by("served_at", "pk")
    names = ("assignment_id", "item_id", "original_id", "kind", "score", "served_at", "created_at")
    return [Answer(*row) for row in last.values_list(*names)]


@dataclass(frozen=True)
class Pair:
    """The scores of a degraded caption and of its original, by one person in one HIT."""

    degraded: Answer
    original: Answer


def answer_pairs(answers: Iterable[Answer]) -> list[Pair]:
    """Every degraded caption whose original was rated too."""
    rated = {(answer.assignment, answer.item): answer for answer in answers}
    pairs = [
        (answer, rated.get((answer.assignment, answer.original)))
        for answer in rated.values()
        if answer.kind == HitItem.Kind.DEGRADED and answer.original is not None
    ]
    return [Pair(degraded, original) for degraded, original in pairs if original is not None]


@dataclass(frozen=True)
class PairRow:
    """A pair with both texts; ``replaced`` stands between the words left as they were."""

    pair: Pair
    item: HitItem
    before: str
    replaced: str
    after: str

    @property
    def lower(self) -> int:
        """By how much the degraded caption's score lies below the original's."""
        return self.pair.original.score - self.pair.degraded.score

    @property
    def higher(self) -> int:
        return -self.lower


def pair_rows(pairs: Sequence[Pair]) -> list[PairRow]:
    """The pairs with their texts, HITs and videos, in one query."""
    items = HitItem.objects.select_related("caption__video", "hit__batch").in_bulk(
        [pair.degraded.item for pair in pairs]
    )
    return [
        PairRow(pair, item, *replaced_words(item.caption.text, item.text))
        for pair in pairs
        for item in [items[pair.degraded.item]]
    ]
