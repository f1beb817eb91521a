"""The organiser's page of personal links: who is invited, and how far they are."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotations.addresses import entry_address, invitation_entry, join_address
from annotations.forms import InvitationForm
from annotations.selectors.entry import (
    claim_obstacle,
    invitations_with_progress,
    simulated_took_part,
)
from annotations.services.annotators import annotators_invite
from annotations.services.assignments import batches_open
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
    invitations = invitations_with_progress(campaign)
    is_live = campaign.state == Campaign.State.LIVE
    context = {
        "campaign": campaign,
        "form": form,
        "has_simulated": simulated_took_part(campaign),
        "obstacle": claim_obstacle(campaign=campaign, annotator=None) if is_live else "",
        "join": join_address(campaign) if is_live else "",
        "rows": [(row, entry_address(invitation_entry(row))) for row in invitations],
    }
    status = 400 if form.errors else 200
    return render(request, "annotations/link_list.html", context, status=status)
