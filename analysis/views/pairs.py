"""Two systems: is one better than the other, how sure is that, and which captions decide it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.paginator import Paginator
from django.http import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from analysis.forms import PairForm
from analysis.models import Result
from analysis.presenting.exports import records
from analysis.presenting.listings import CAPTIONS, arranged, as_table
from analysis.presenting.pairs import (
    differences_chart,
    pair_tests,
    shared_videos,
    verdict,
    videos_sentence,
)
from analysis.selectors.results import (
    missing_ranking,
    result_listing,
    result_summary,
    result_systems,
)
from analysis.views.latest import Latest, checked, latest_result, news
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign

if TYPE_CHECKING:
    import pyarrow as pa

PER_PAGE = 20


@require_safe
@for_campaign()
def pair(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    latest = latest_result(request, campaign)
    if request.htmx:
        return news(request, latest)
    context = latest.context
    if latest.listed and has_two_systems(latest.listed):
        context |= pair_context(request, latest, latest.listed)
    elif latest.listed:
        context["missing"] = missing_ranking(latest.listed)
    return render(request, "analysis/pair.html", context)


def has_two_systems(result: Result) -> bool:
    return len(ranked_systems(result)) > 1


def ranked_systems(result: Result) -> list[str]:
    """Those with ratings that count, best first."""
    return [row["system"] for row in result_systems(result) if row["z"] is not None]


def pair_context(request: MemberRequest, latest: Latest, result: Result) -> dict[str, object]:
    form = pair_form(request, result)
    first, second = form.pair
    tests = pair_tests(
        result_summary(result).numbers["significance"].pairs,
        adjustment=latest.choices.get("adjust", ""),
        alpha=result.choices["alpha"],
    )
    videos = pair_videos(result, form)
    differences = videos["difference"].to_numpy()
    page = Paginator(videos, PER_PAGE).get_page(request.GET.get("page"))
    scores = {row["system"]: row for row in result_systems(result)}
    return {
        "form": form,
        "first": scores[first],
        "second": scores[second],
        "test": tests[first, second],
        "converse": tests[second, first],
        "verdict": verdict(tests[first, second], tests[second, first]),
        "alpha": result.choices["alpha"],
        "sentence": videos_sentence(differences, first, second),
        "chart": differences_chart(differences, first, second),
        "page": page,
        "rows": [
            row | {"lead": abs(row["difference"])} for row in records(as_table(page.object_list))
        ],
    }


def pair_form(request: MemberRequest, result: Result) -> PairForm:
    return checked(PairForm(request.GET, systems=ranked_systems(result)))


def pair_videos(result: Result, form: PairForm) -> pa.Table:
    videos = shared_videos(result_listing(result, CAPTIONS), *form.pair)
    order = form.cleaned_data["order"]
    return arranged(videos, order) if order else videos
