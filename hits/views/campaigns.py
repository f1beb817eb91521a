"""The list of campaigns, and one campaign: what is in it, its HITs, who shares it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from daplatform.errors import DomainError
from hits import selectors
from hits.forms import DeleteForm, SettingsForm, ShareForm
from hits.models import Campaign
from hits.selectors.conversions import campaign_conversions
from hits.services import campaigns
from hits.views.access import MemberRequest, campaigns_for, for_campaign, for_member, require

CAMPAIGNS_PER_PAGE = 20
POSTERS_SHOWN = 12


@require_safe
@for_member()
def campaign_list(request: MemberRequest) -> HttpResponseBase:
    rows = selectors.campaigns_counted(campaigns_for(request.user))
    page = Paginator(rows, CAMPAIGNS_PER_PAGE).get_page(request.GET.get("page"))
    uploads = selectors.uploads_unfinished(request.user)[:5]
    return render(request, "hits/campaign_list.html", {"page": page, "uploads": uploads})


@require_safe
@for_campaign()
def campaign_detail(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    return campaign_page(request, campaign)


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign("hits.change_campaign")
def campaign_settings(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """What people are asked and under which rules; frozen once the campaign is live."""
    form = SettingsForm(request.POST or None, instance=campaign)
    if request.method == "POST" and form.is_valid():
        try:
            campaigns.campaign_update(campaign=campaign, **form.cleaned_data)
        except DomainError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The settings are saved.")
            return redirect("hits:campaign-settings", campaign.slug)
    return settings_page(request, campaign, form=form)


def settings_page(
    request: MemberRequest,
    campaign: Campaign,
    *,
    form: SettingsForm | None = None,
    delete_form: DeleteForm | None = None,
) -> HttpResponseBase:
    """The page; with a form that was refused, as status 400."""
    refused = any(given is not None and given.errors for given in (form, delete_form))
    context = {
        "campaign": campaign,
        "form": form or SettingsForm(instance=campaign),
        "delete_form": delete_form or DeleteForm(name=campaign.name),
        "may_delete": selectors.may_share(campaign, request.user),
    }
    return render(request, "hits/campaign_settings.html", context, status=400 if refused else 200)


@require_POST
@for_campaign("hits.change_campaign")
def campaign_share(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    form = ShareForm(request.POST)
    if not form.is_valid():
        return campaign_page(request, campaign, share_form=form)
    try:
        campaigns.campaign_share(
            campaign=campaign, usernames=form.cleaned_data["usernames"], by=request.user
        )
    except campaigns.NotTheOwner as error:
        raise PermissionDenied(str(error)) from None
    except DomainError as error:
        form.add_error("usernames", str(error))
        return campaign_page(request, campaign, share_form=form)
    messages.success(request, "Sharing is changed.")
    return redirect("hits:campaign-detail", campaign.slug)


@require_POST
@for_campaign("hits.change_campaign")
def campaign_delete(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """A draft that nobody needs: its owner types its name, so that it is not deleted by mistake."""
    if not selectors.may_share(campaign, request.user):
        raise PermissionDenied("Only the owner of a campaign can delete it.")
    form = DeleteForm(request.POST, name=campaign.name)
    if form.is_valid():
        try:
            campaigns.campaign_delete(campaign=campaign)
        except DomainError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"“{campaign.name}” is deleted.")
            return redirect("hits:campaign-list")
    return settings_page(request, campaign, delete_form=form)


@require_POST
@for_campaign("hits.change_campaign")
def campaign_duplicate(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """The same videos, captions and settings once more, as a draft of one's own."""
    require(request.user, "hits.add_upload")
    copy = campaigns.campaign_duplicate(campaign=campaign, owner=request.user)
    messages.success(
        request, f"“{copy.name}” is a draft with the same material. You can change it as you like."
    )
    return redirect("hits:campaign-settings", copy.slug)


@require_POST
@for_campaign()
def campaign_leave(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """A colleague does not want to see the campaign any more."""
    try:
        campaigns.campaign_leave(campaign=campaign, colleague=request.user)
    except DomainError as error:
        return campaign_page(request, campaign, error=str(error))
    messages.success(request, f"“{campaign.name}” is no longer shared with you.")
    return redirect("hits:campaign-list")


def campaign_page(
    request: MemberRequest,
    campaign: Campaign,
    *,
    error: str = "",
    share_form: ShareForm | None = None,
) -> HttpResponseBase:
    """The campaign's page; with an error or a form that was refused, as status 400.

    While a batch is being composed, htmx asks again and again for that part of it.
    """
    colleagues = list(campaign.colleagues.order_by("username"))
    refused = bool(error) or share_form is not None
    context = campaign_context(campaign) | {
        "error": error,
        "share_form": share_form or shared_with(colleagues),
        "may_share": selectors.may_share(campaign, request.user),
        "may_leave": request.user in colleagues,
    }
    name = "hits/_batches.html" if request.htmx else "hits/campaign_detail.html"
    return render(request, name, context, status=400 if refused else 200)


def campaign_context(campaign: Campaign) -> dict[str, Any]:
    systems = selectors.campaign_systems(campaign)
    videos = selectors.campaign_videos(campaign)
    batches = selectors.campaign_batches(campaign)
    plan = selectors.campaign_plan(campaign, systems)
    return {
        "campaign": campaign,
        "systems": systems,
        "plan": plan,
        "reach": plan and selectors.campaign_reach(campaign, plan),
        "misfit": selectors.campaign_misfit(campaign, systems),
        "pay": selectors.campaign_pay(campaign),
        "batches": batches,
        "is_composing": any(batch.is_active for batch in batches),
        "video_count": videos.count(),
        "videos": videos[:POSTERS_SHOWN],
        "conversions": campaign_conversions(campaign),
    }


def shared_with(colleagues: list[User]) -> ShareForm:
    return ShareForm(initial={"usernames": ", ".join(each.username for each in colleagues)})
