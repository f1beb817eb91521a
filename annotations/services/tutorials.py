"""Answers to a campaign's tutorial: judged, not kept; that somebody passed is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from annotations.errors import WorkClosed
from annotations.models import TutorialPass
from annotations.selectors.work import assignment_of, closed_sentence
from annotations.tokens import RatingSession
from annotations.tutorial import Verdict, verdicts


def tutorial_answer(
    *, session: RatingSession, answers: Mapping[str, Mapping[str, Any]]
) -> list[Verdict]:
    """What is said of the answers. All of the tutorial as expected is passed, once and for all."""
    assignment = assignment_of(session)
    if sentence := closed_sentence(assignment, timezone.now()):
        raise WorkClosed(sentence)
    found = verdicts(assignment.campaign, answers)
    if len(found) == len(assignment.campaign.tutorial) and all(each.fits for each in found):
        TutorialPass.objects.get_or_create(
            annotator_id=session.annotator, campaign_id=session.campaign
        )
    return found
