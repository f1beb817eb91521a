"""Whose marks count, where a campaign has a rule for it: complete work, damaged words found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis.results.marked import ControlWords
from annotations.models import Assignment, Correction
from crowds.selectors.counting import annotators_vouched_for
from hits.models import Campaign


@dataclass(frozen=True)
class NotCounted:
    """Work that is not complete yet, and people who found too few damaged words, by pseudonym."""

    unfinished: frozenset[int]
    failed: tuple[str, ...]

    def holds(self, assignment: int, annotator: str) -> bool:
        return assignment in self.unfinished or annotator in self.failed


def not_counted(campaign: Campaign, controls: list[ControlWords]) -> NotCounted:
    """By the campaign's rule; nobody where there is none. A reviewer's word is stronger."""
    rule = campaign.questions.get("counting", {})
    vouched = set(annotators_vouched_for(campaign)) if rule else set()
    return NotCounted(
        _unfinished(campaign) if rule.get("complete") else frozenset(),
        tuple(
            each.annotator
            for each in controls
            if finds_too_little(each, rule) and each.annotator not in vouched
        ),
    )


def finds_too_little(found: ControlWords, rule: Mapping[str, Any]) -> bool:
    """Whether recall or precision is below what the rule asks. What is not defined does not decide.

    >>> anna = ControlWords("anna", captions=2, found=1, words=4, recall=0.25, precision=1.0)
    >>> finds_too_little(anna, {"recall": 0.5}), finds_too_little(anna, {"precision": 0.5})
    (True, False)
    """
    return any(getattr(found, name) < rule.get(name, 0) for name in ("recall", "precision"))


def _unfinished(campaign: Campaign) -> frozenset[int]:
    """Not handed in, or with a video that was sent back and is not corrected yet."""
    mine = Assignment.objects.filter(campaign=campaign, annotator__isnull=False)
    sent_back = Correction.objects.filter(assignment__campaign=campaign, done_at=None)
    return frozenset(
        {
            *mine.exclude(state__in=Assignment.FINISHED).values_list("pk", flat=True),
            *sent_back.values_list("assignment", flat=True),
        }
    )
