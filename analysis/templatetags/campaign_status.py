"""What pages of campaigns and HITs say of ratings, so that they arrive whole.

Those pages belong to an app that knows nothing of ratings: their templates ask here.
"""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.db.models import QuerySet
from django.utils import timezone

from analysis.selectors.overview import Overview, campaign_overview, overview_choices
from analysis.selectors.progress import Completion, campaigns_completion, hits_completion
from analysis.services.requests import result_key
from annotations.selectors.work import campaigns_rated
from hits.models import Campaign, Hit

register = template.Library()


@register.simple_tag
def overview_of(campaign: Campaign) -> Overview:
    """The campaign as it stands; its page asks for what is newer."""
    key = result_key(overview_choices(campaign))
    return campaign_overview(campaign, key, now=timezone.now())


@register.simple_tag
def completion_of_campaigns(campaigns: Iterable[Campaign]) -> dict[str | int, Completion]:
    """By slug, of those that are on offer."""
    return {each.key: each for each in campaigns_completion(_these(campaigns))}


@register.simple_tag
def rated_among(campaigns: Iterable[Campaign]) -> list[Campaign]:
    """Those that have all the ratings they asked for."""
    return list(campaigns_rated(_these(campaigns)))


@register.simple_tag
def completion_of_hits(campaign: Campaign, hits: Iterable[Hit]) -> dict[str | int, Completion]:
    """By id, of those that are on offer."""
    return {each.key: each for each in hits_completion(campaign, [hit.pk for hit in hits])}


@register.filter
def of(turns: dict[str | int, Completion], key: str | int) -> Completion | None:
    return turns.get(key)


def _these(campaigns: Iterable[Campaign]) -> QuerySet[Campaign]:
    return Campaign.objects.filter(pk__in=[campaign.pk for campaign in campaigns])
