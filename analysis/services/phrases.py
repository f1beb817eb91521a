"""Deciding which kind of error a marked phrase is."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction

from analysis.models import PhraseCategory
from analysis.results.phrases import CATEGORIES
from hits.models import Campaign


@transaction.atomic
def phrases_categorise(*, campaign: Campaign, given: Mapping[str, str], by: User) -> int:
    """Keep a category for each phrase; an empty one takes a decision back. How many changed."""
    known = dict(
        PhraseCategory.objects.filter(campaign=campaign, phrase__in=given).values_list(
            "phrase", "category"
        )
    )
    changed = {
        phrase: category
        for phrase, category in given.items()
        if known.get(phrase, "") != category and len(phrase) <= PhraseCategory.LONGEST
    }
    for phrase, category in changed.items():
        if category in CATEGORIES:
            values = {"category": category, "by": by}
            PhraseCategory.objects.update_or_create(
                campaign=campaign, phrase=phrase, defaults=values
            )
        else:
            PhraseCategory.objects.filter(campaign=campaign, phrase=phrase).delete()
    return len(changed)
