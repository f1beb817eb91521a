"""Who rated, how well and how fast: the list of annotators, and one of them."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from analysis import person_charts
from analysis.forms import AnnotatorsForm
from analysis.models import Result
from analysis.selectors import annotators as people
from analysis.views.latest import checked, latest_result, news
from annotations.models import Annotator
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign

PER_PAGE = 50
PAIRS_PER_PAGE = 10


@require_safe
@for_campaign()
def annotator_list(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    latest = latest_result(request, campaign)
    if request.htmx:
        return news(request, latest)
    form = checked(AnnotatorsForm(request.GET))
    context = latest.context | {"form": form, "sort": form.cleaned_data["sort"] or "annotator"}
    if latest.listed:
        listed = people.annotators_listed(latest.listed, **filters(form))
        page = Paginator(listed, PER_PAGE).get_page(request.GET.get("page"))
        rows = people.annotator_rows(campaign, page.object_list)
        context |= {"page": page, "rows": rows}
    return render(request, "analysis/annotators.html", context)


@require_safe
@for_campaign()
def annotator_detail(
    request: MemberRequest, campaign: Campaign, pseudonym: str
) -> HttpResponseBase:
    annotator = get_object_or_404(people.campaign_annotators(campaign), pseudonym=pseudonym)
    latest = latest_result(request, campaign)
    if request.htmx:
        return news(request, latest)
    context = latest.context | {
        "annotator": annotator,
        "turns": people.annotator_turns(campaign, annotator),
    }
    if latest.listed:
        context |= work_context(request, annotator, latest.listed)
    return render(request, "analysis/annotator.html", context)


def work_context(request: MemberRequest, annotator: Annotator, result: Result) -> dict[str, object]:
    """The ratings behind the result: later ones are not in its numbers either."""
    answers = people.annotator_answers(result.campaign, annotator, until=result.last_rating)
    pairs = people.answer_pairs(answers)
    page = Paginator(pairs, PAIRS_PER_PAGE).get_page(request.GET.get("page"))
    return {
        "row": people.annotator_listed(result, annotator),
        "page": page,
        "pairs": people.pair_rows(list(page)),
        "pairs_chart": person_charts.pairs_chart(
            [(pair.original.score, pair.degraded.score) for pair in pairs]
        ),
        "scores_chart": person_charts.person_scores_chart(
            [(answer.kind, answer.score) for answer in answers]
        ),
        "timeline_chart": person_charts.timeline_chart(
            [(answer.kind, answer.score, answer.seconds) for answer in answers]
        ),
    }


def filters(form: AnnotatorsForm) -> dict[str, str]:
    chosen = form.cleaned_data
    return {"search": chosen["q"], "show": chosen["show"], "sort": chosen["sort"]}
