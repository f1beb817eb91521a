"""The results of a campaign: the ranking, how far to trust it, and its files."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from analysis.forms import DEFAULTS, ChoicesForm
from analysis.models import Result
from analysis.presenting.pairs import ADJUSTMENTS, pair_tests, wins_matrix
from analysis.results.findings.ranking import missing_sentence, ranking_sentence
from analysis.results.registry import Section, Summary
from analysis.selectors.results import result_folder, result_makers, result_summary
from analysis.views.latest import latest_result, made_file
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign


@require_safe
@for_campaign()
def ranking(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """The last finished result; a newer one is being made while this one is shown."""
    form = ChoicesForm(request.GET)
    if not form.is_valid():
        refused = {"campaign": campaign, "form": form}
        return render(request, "analysis/ranking.html", refused, status=400)
    latest = latest_result(request, campaign)
    context = latest.context | {"form": form, "query": request.GET.urlencode()}
    if latest.ready:
        context |= ranking_context(result_summary(latest.ready), form)
    name = "analysis/_ranking.html" if request.htmx else "analysis/ranking.html"
    return render(request, name, context)


def ranking_context(summary: Summary, form: ChoicesForm) -> dict[str, Any]:
    """Every finding in words and charts, made of the numbers that are stored."""
    adjust, alpha = form.cleaned_data["adjust"], form.cleaned_data["alpha"] or DEFAULTS.alpha
    found, about = summary.numbers["ranking"], summary.context()
    tests = pair_tests(summary.numbers["significance"].pairs, adjustment=adjust, alpha=alpha)
    shown = summary.shown(ADJUSTMENTS[adjust])
    return {
        "summary": summary,
        "lede": ranking_sentence(found, about),
        "missing": missing_sentence(found, about),
        "sections": {
            section.value: [
                (finding, each) for finding, each in shown if finding.section == section
            ]
            for section in Section
        },
        "matrix": wins_matrix([row.system for row in found.systems], tests),
        "alpha": alpha,
        "adjusted": f"-{adjust}" if adjust else "",
    }


@require_safe
@for_campaign()
def result_file(request: MemberRequest, campaign: Campaign, pk: int, name: str) -> HttpResponseBase:
    """One of a result's files, as the command line would have written it."""
    results = Result.objects.exclude(signature="").select_related("campaign")
    result = get_object_or_404(results, campaign=campaign, pk=pk)
    try:
        makers = result_makers(result)
    except ValueError:  # stored before a statistic came or went
        raise Http404("This result no longer exists. Open the page again.") from None
    filename = f"{campaign.slug}-analysis-{name}"
    return made_file(request, result, result_folder(result), name, makers, filename)
