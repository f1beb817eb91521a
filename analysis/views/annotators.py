"""Who rated, how well and how fast: the list of annotators, and one of them."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from analysis.forms import AnnotatorsForm
from analysis.models import Result
from analysis.presenting import person
from analysis.results.marked import control_words
from analysis.selectors import annotators as people
from analysis.selectors.attention import checks_answered
from analysis.selectors.marked import answers_given, controls_of, forms_answered
from analysis.views.latest import Latest, checked, latest_result, news
from annotations.models import Annotator
from annotations.selectors.work import tutorial_passed
from crowds.views.review_actions import Choice, review_action_page
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
        "form": _form(campaign, annotator),
        "tutorial": tutorial_passed(campaign, annotator) if campaign.tutorial else None,
        "checks": checks_answered(campaign, annotator=annotator),
    }
    answers = answers_given(campaign, annotator=annotator)
    context["control_words"] = next(iter(control_words(controls_of(answers))), None)
    if latest.listed:
        context |= work_context(request, annotator, latest.listed)
    return render(request, "analysis/annotator.html", context)


def _form(campaign: Campaign, annotator: Annotator) -> list[tuple[str, str]]:
    """What the person said of themselves, beside the questions."""
    said = forms_answered(campaign, assignment__annotator=annotator) if campaign.form else []
    return [(asked["text"], said[0][asked["name"]]) for asked in campaign.form if said]


def work_context(request: MemberRequest, annotator: Annotator, result: Result) -> dict[str, object]:
    """The ratings behind the result: later ones are not in its numbers either."""
    answers = people.annotator_answers(result.campaign, annotator, until=result.last_rating)
    pairs, scale = people.answer_pairs(answers), result.campaign.asked.scale
    page = Paginator(pairs, PAIRS_PER_PAGE).get_page(request.GET.get("page"))
    return {
        "row": people.annotator_listed(result, annotator),
        "page": page,
        "pairs": people.pair_rows(list(page)),
        "pairs_chart": person.pairs_chart(
            [(pair.original.score, pair.degraded.score) for pair in pairs], scale
        ),
        "scores_chart": person.person_scores_chart(
            [(answer.kind, answer.score) for answer in answers], scale
        ),
        "timeline_chart": person.timeline_chart(
            [(answer.kind, answer.score, answer.seconds) for answer in answers], scale
        ),
    }


def filters(form: AnnotatorsForm) -> dict[str, str]:
    chosen = form.cleaned_data
    return {"search": chosen["q"], "show": chosen["show"], "sort": chosen["sort"]}


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign("hits.change_campaign")
def annotators_order(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """What is to be done with those ticked in the list.

    Opened from the browser's bar, where nobody is ticked, it leads back to the list.
    """
    back = f"{reverse('analysis:annotator-list', args=[campaign.slug])}?{request.GET.urlencode()}"
    if request.method != "POST":
        return redirect(back)
    latest = latest_result(request, campaign)
    chosen = _chosen(request, latest)
    if not chosen:
        messages.error(request, "Select at least one annotator.")
        return redirect(back)
    choice = Choice(
        chosen,
        back,
        reason=lambda: _proposal(latest, chosen),
        passed=lambda: _passed(latest, chosen),
    )
    return review_action_page(request, campaign, choice)


def _chosen(request: MemberRequest, latest: Latest) -> list[Annotator]:
    """Those ticked, or everybody the filters of the address leave."""
    everybody = people.campaign_annotators(latest.campaign).select_related("identity")
    # Nobody's name holds NUL, and PostgreSQL cannot even be asked for one.
    names = [name for name in request.POST.getlist("annotator") if "\0" not in name]
    if "everybody" in request.POST and latest.listed:
        form = checked(AnnotatorsForm(request.GET))
        names = people.annotators_listed(latest.listed, **filters(form))["annotator"].to_pylist()
    return list(everybody.filter(pseudonym__in=names).order_by("pseudonym"))


def _proposal(latest: Latest, chosen: list[Annotator]) -> str:
    if not latest.listed:
        return ""
    names = [each.pseudonym for each in chosen]
    known = people.annotators_analysed(latest.listed, names)
    return person.proposed_reason(known) if len(known) == len(names) else ""


def _passed(latest: Latest, chosen: list[Annotator]) -> int:
    """How many of those chosen quality control has nothing against."""
    if not latest.listed:
        return 0
    listed = people.annotators_listed(latest.listed, show="passed")
    return len({each.pseudonym for each in chosen} & set(listed["annotator"].to_pylist()))
