"""Attention checks: what people were told to answer, and what they answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crowds.selectors.counting import ratings_by_the_known
from hits.models import Campaign, HitItem
from hits.protocols.expected import missed


@dataclass(frozen=True)
class Checked:
    """The last answer of a person to one check, and the questions they missed."""

    annotator: str
    hit: str
    hit_id: int
    position: int  # counted from 1
    text: str
    answer: str
    missed: tuple[str, ...]

    @property
    def is_passed(self) -> bool:
        return not self.missed


@dataclass
class Attention:
    """How many checks somebody answered, and how many of them as they were told."""

    checks: int = 0
    passed: int = 0

    @property
    def words(self) -> str:
        return f"{self.passed} of {self.checks}"


def checks_answered(campaign: Campaign, **which: Any) -> list[Checked]:
    """Every check that was answered, in the order of people and their work."""
    expected = {check["text"]: check["expect"] for check in campaign.attention}
    if not expected:
        return []
    ratings = ratings_by_the_known(campaign).filter(kind=HitItem.Kind.ATTENTION, **which)
    rows = ratings.order_by("annotator__pseudonym", "assignment", "position", "revision").values(
        "assignment", "position", "annotator__pseudonym", "item__degraded_text",
        "item__hit", "item__hit__number", "item__hit__batch__number", "score", "fluency", "answers",
    )  # fmt: skip
    latest = {(row["assignment"], row["position"]): row for row in rows}
    return [_checked(campaign, row, expected) for row in latest.values()]


def _checked(
    campaign: Campaign, row: Mapping[str, Any], expected: Mapping[str, Mapping[str, Any]]
) -> Checked:
    text = row["item__degraded_text"]
    answers = row["answers"] or {"score": row["score"], "fluency": row["fluency"]}
    expect = expected.get(text, {})
    return Checked(
        annotator=row["annotator__pseudonym"],
        hit=f"{row['item__hit__batch__number']}-{row['item__hit__number']}",
        hit_id=row["item__hit"],
        position=row["position"] + 1,
        text=text,
        answer=", ".join(f"{name} {_said(answers.get(name), text)}" for name in expect),
        missed=missed(campaign.asked, expect, answers, text),
    )


def _said(answer: Any, text: str) -> str:
    if isinstance(answer, list):
        return " / ".join(text[start:end] or "[missing]" for start, end, _ in answer) or "–"
    return str(answer)


def attention_by_person(campaign: Campaign) -> dict[str, Attention]:
    """By pseudonym; only of people who answered a check."""
    found: dict[str, Attention] = {}
    for each in checks_answered(campaign):
        of = found.setdefault(each.annotator, Attention())
        of.checks += 1
        of.passed += each.is_passed
    return found
