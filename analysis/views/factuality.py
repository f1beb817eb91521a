"""Factuality: how much of what systems say is wrong, and how far people agree about it."""

from __future__ import annotations

import numpy as np
from django.http import Http404, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from analysis.presenting.exports import records
from analysis.results.factuality import factuality_tables
from analysis.results.marked import agreements, annotated, pair_f1, paragraphs, phrases
from analysis.selectors.marked import judged_paragraphs
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign

SEED = 7
DRAWS = 1_000
PHRASES_SHOWN = 50


@require_safe
@for_campaign()
def factuality(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """Errors by level and by system, agreement, and what was marked more than once."""
    judged = judged_paragraphs(campaign)
    context: dict[str, object] = {"campaign": campaign, "answers": len(judged)}
    if judged:
        rng = np.random.default_rng(SEED)
        tables = factuality_tables(paragraphs(judged), rng=rng, draws=DRAWS)
        context |= {
            "people": sorted({each.annotator for each in judged}),
            "errors": records(tables["errors"]),
            "systems": records(tables["systems"]),
            "agreements": agreements(judged),
            "pairs": pair_f1(judged),
            "phrases": phrases(judged)[:PHRASES_SHOWN],
        }
    return render(request, "analysis/factuality.html", context)


@require_safe
@for_campaign()
def factuality_file(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """The annotation in the form its authors publish, as `analyse` reads it."""
    judged = judged_paragraphs(campaign)
    if not judged:
        raise Http404("Nobody has marked anything yet.")
    answer = JsonResponse(annotated(judged), json_dumps_params={"ensure_ascii": False, "indent": 1})
    name = f"{campaign.slug}-factuality_annotation.json"
    answer["Content-Disposition"] = content_disposition_header(True, name) or ""
    return answer
