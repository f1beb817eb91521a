"""What a campaign will cost and find, before anybody is asked anything."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from daplatform.errors import DomainError
from hits import charts, selectors
from hits.forms import PlanForm
from hits.models import Campaign
from hits.services.campaigns import campaign_update
from hits.views.access import MemberRequest, for_campaign, require


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign()
def campaign_plan(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """GET tries settings out (htmx asks for the results alone), POST saves them."""
    if request.method != "POST":
        return plan_page(request, campaign, PlanForm.of(campaign, request.GET or None))
    require(request.user, "hits.change_campaign")
    form = PlanForm.of(campaign, request.POST)
    if form.is_valid() and save(form, campaign):
        messages.success(request, "The plan is saved.")
        return redirect("hits:campaign-plan", campaign.slug)
    return plan_page(request, campaign, form)


def save(form: PlanForm, campaign: Campaign) -> bool:
    settings = form.plan_settings
    settings["assumed_pass_rate"] = settings.pop("pass_rate")
    try:
        campaign_update(campaign=campaign, **settings)
    except DomainError as error:
        form.add_error(None, str(error))
        return False
    return True


def fitting_address(form: PlanForm, fitting: dict[str, Any]) -> str:
    """Where the form is filled with numbers that fit, its other numbers kept."""
    if not fitting:
        return ""
    return f"?{urlencode({field.name: field.value() for field in form} | fitting)}"


def plan_page(request: MemberRequest, campaign: Campaign, form: PlanForm) -> HttpResponseBase:
    systems = selectors.campaign_systems(campaign)
    tried = form.plan_settings if form.is_bound and form.is_valid() else {}
    plan = selectors.campaign_plan(campaign, systems, **tried)
    misfit = selectors.campaign_misfit(campaign, systems, **tried)
    context = {
        "campaign": campaign,
        "form": form,
        "plan": plan,
        "saved": selectors.campaign_plan(campaign, systems) if tried else plan,
        "is_saved": not form.is_bound or not form.has_changed(),
        "misfit": misfit,
        "pay": selectors.campaign_pay(campaign, **tried),
        "fitting": fitting_address(form, selectors.campaign_fitting(campaign, misfit, **tried)),
    }
    if plan is not None:
        context["reach"] = selectors.campaign_reach(campaign, plan, pairs=tried.get("pairs"))
        context["chart"] = charts.power_chart(plan)
        context["differences"], context["power_rows"] = charts.power_table(plan)
    name = "hits/_plan.html" if request.htmx else "hits/campaign_plan.html"
    return render(request, name, context, status=400 if form.errors else 200)
