"""The organiser's page of links: who is invited and how far they are, and the link of a group."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotations.addresses import entry_address, invitation_entry, join_address
from annotations.forms import GroupLinkForm, InvitationForm
from annotations.selectors.entry import (
    claim_obstacle,
    invitations_with_progress,
    simulated_took_part,
)
from annotations.selectors.group_links import CAUTION, group_link_of, joined_sentence
from annotations.services.annotators import annotators_invite
from annotations.services.assignments import batches_open
from annotations.services.group_links import (
    group_link_offer,
    group_link_replace,
    group_link_revoke,
)
from daplatform.errors import DomainError
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign("hits.change_campaign")
def link_list(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """Invite people by name, and copy the links to send them."""
    form = InvitationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            batches_open(campaign=campaign)
            annotators_invite(campaign=campaign, names=form.cleaned_data["names"])
        except DomainError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The links are ready to be sent.")
            return redirect("annotations:link-list", campaign.slug)
    return _link_page(request, campaign, form=form)


@require_POST
@for_campaign("hits.change_campaign")
def group_link(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """Turn the group's link on, limit it, replace it, or turn it off."""
    form = GroupLinkForm(request.POST)
    if form.is_valid():
        try:
            sentence = _group_link_change(campaign, request.user, **form.cleaned_data)
        except DomainError as error:
            form.add_error("people", str(error))
        else:
            messages.success(request, sentence)
            return redirect("annotations:link-list", campaign.slug)
    return _link_page(request, campaign, group_form=form)


def _group_link_change(campaign: Campaign, by: User, *, change: str, people: int) -> str:
    """What was asked for is done; a sentence says so."""
    if change == "offer":
        group_link_offer(campaign=campaign, people=people, by=by)
        return f"{people:,} people may join by the group link."
    if change == "replace":
        group_link_replace(campaign=campaign, by=by)
        return "The group has a new link. The old one lets nobody in any more."
    group_link_revoke(campaign=campaign, by=by)
    return "The group link is turned off."


def _link_page(
    request: MemberRequest,
    campaign: Campaign,
    *,
    form: InvitationForm | None = None,
    group_form: GroupLinkForm | None = None,
) -> HttpResponseBase:
    """The page; with a form that was refused, as status 400."""
    is_live = campaign.state == Campaign.State.LIVE
    context = _group_context(campaign) | {
        "campaign": campaign,
        "form": form or InvitationForm(),
        "has_simulated": simulated_took_part(campaign),
        "obstacle": claim_obstacle(campaign=campaign, annotator=None) if is_live else "",
        "rows": [
            (row, entry_address(invitation_entry(row)))
            for row in invitations_with_progress(campaign)
        ],
    }
    if group_form is not None:
        context["group_form"] = group_form
    refused = any(given is not None and given.errors for given in (form, group_form))
    return render(request, "annotations/link_list.html", context, status=400 if refused else 200)


def _group_context(campaign: Campaign) -> dict[str, Any]:
    link = group_link_of(campaign)
    return {
        "caution": CAUTION,
        "group_link": link,
        "group_form": GroupLinkForm(initial={"people": link.people} if link else None),
        "join": join_address(link) if link else "",
        "joined": joined_sentence(link) if link else "",
    }
