"""Two campaigns side by side: does a second collection find the same?"""

from __future__ import annotations

from django.http import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from analysis.forms import ComparisonForm
from analysis.models import Result
from analysis.presenting import replications
from analysis.results.comparing import agreement_sentence
from analysis.selectors.comparisons import results_compare
from analysis.selectors.results import result_systems
from analysis.views.latest import Latest, checked, latest_result, news
from hits.models import Campaign
from hits.views.access import MemberRequest, campaigns_for, for_campaign

PAIRS = {
    "first": "Better in the first",
    "second": "than",
    "p_here": "p in the first",
    "p_there": "p in the second",
    "found": "Significant",
}


@require_safe
@for_campaign()
def comparison(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """This campaign and another of this person's, analysed with the same choices."""
    form = comparison_form(request, campaign)
    latest, other = both(request, campaign, form)
    if request.htmx:
        return news(request, other if other and other.is_waiting else latest)
    context = latest.context | {"form": form, "other": other}
    if other and latest.listed and other.listed:
        context |= comparison_context(latest.listed, other.listed)
    return render(request, "analysis/comparison.html", context)


def comparison_form(request: MemberRequest, campaign: Campaign) -> ComparisonForm:
    others = campaigns_for(request.user).exclude(pk=campaign.pk)
    return checked(ComparisonForm(request.GET, campaigns=others))


def both(
    request: MemberRequest, campaign: Campaign, form: ComparisonForm
) -> tuple[Latest, Latest | None]:
    other = form.cleaned_data["other"]
    latest = latest_result(request, campaign)
    return latest, latest_result(request, other) if other else None


def comparison_context(first: Result, second: Result) -> dict[str, object]:
    try:
        found = results_compare(first, second)
    except ValueError:  # then no caption is in common either
        return {"rows": []}
    rows = replications.shared_systems(result_systems(first), result_systems(second))
    return {
        "rows": rows,
        "found": found,
        "pair_headings": PAIRS,
        "sentence": agreement_sentence(found),
        "chart": replications.replication_chart(rows, first.campaign.name, second.campaign.name),
    }
