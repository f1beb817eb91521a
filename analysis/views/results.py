"""The results of a campaign: the ranking, how far to trust it, and its files."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse, Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from analysis.forms import DEFAULTS, ChoicesForm
from analysis.models import Result
from analysis.pairs import PairTest, pair_tests, wins_matrix
from analysis.results import known_names
from analysis.selectors.results import result_folder
from analysis.views.latest import latest_result
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
    page = latest.ready.page if latest.ready else None
    context = latest.context | {
        "form": form,
        "page": page,
        "matrix": significance(page, form) if page else [],
        "alpha": form.cleaned_data["alpha"] or DEFAULTS.alpha,
        "adjusted": f"-{form.cleaned_data['adjust']}" if form.cleaned_data["adjust"] else "",
        "query": request.GET.urlencode(),
    }
    name = "analysis/_ranking.html" if request.htmx else "analysis/ranking.html"
    return render(request, name, context)


def significance(
    page: dict[str, Any], form: ChoicesForm
) -> list[tuple[str, list[PairTest | None]]]:
    """Every test between two systems, best systems first, adjusted as the form says."""
    alpha = form.cleaned_data["alpha"] or DEFAULTS.alpha
    tests = pair_tests(page["significance"], adjustment=form.cleaned_data["adjust"], alpha=alpha)
    return wins_matrix([row["system"] for row in page["systems"]], tests)


@require_safe
@for_campaign()
def result_file(request: MemberRequest, campaign: Campaign, pk: int, name: str) -> HttpResponseBase:
    """One of a result's files, as the command line would have written it."""
    result = get_object_or_404(Result.objects.exclude(signature=""), campaign=campaign, pk=pk)
    path = result_folder(result) / name
    if name not in known_names() or not path.is_file():
        raise Http404("There is no such file.")
    # Always a download: no page of ours is made of what campaigns contain.
    filename = f"{campaign.slug}-analysis-{name}"
    return FileResponse(path.open("rb"), as_attachment=True, filename=filename)
