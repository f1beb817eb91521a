"""One HIT: its captions in order, the kinds annotators never see, and who rated them how."""

from __future__ import annotations

from collections import Counter

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from analysis.selectors.inspection import hit_turns, rated_items
from hits import selectors
from hits.models import Campaign, HitItem
from hits.views.access import MemberRequest, for_campaign

MOST_TURNS = 20
USUAL = {kind for kind in HitItem.Kind if kind != HitItem.Kind.ATTENTION}


@require_safe
@for_campaign()
def hit_detail(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    hit = get_object_or_404(selectors.campaign_hits(campaign), pk=pk)
    before, after = selectors.neighbours(hit.batch.hits.all(), "number", hit.number)
    turns = hit_turns(hit, MOST_TURNS)
    items = rated_items(hit, turns)
    counts = Counter(item.row.item.kind for item in items)
    context = {
        "campaign": campaign,
        "hit": hit,
        "items": items,
        "turns": turns,
        "most_turns": MOST_TURNS,
        "kinds": [(kind, counts[kind]) for kind in HitItem.Kind if kind in USUAL or counts[kind]],
        "before": before,
        "after": after,
    }
    return render(request, "analysis/hit_detail.html", context)
