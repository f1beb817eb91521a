"""Captions that people wrote: read, doubtful ones removed or kept, given to the next campaign."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from analysis.selectors.written import drafts_to_adopt, written_captions
from analysis.services import written as services
from analysis.views.latest import checked
from daplatform.errors import DomainError
from hits.models import Campaign
from hits.views.access import MemberRequest, campaigns_for, for_campaign

PER_PAGE = 50
SHOW = [("", "All"), ("doubtful", "To check"), ("removed", "Removed")]


class WrittenForm(forms.Form):
    """Which captions the page lists."""

    show = forms.ChoiceField(choices=SHOW, required=False)


class DecisionForm(forms.Form):
    """What becomes of the ticked captions."""

    ratings = forms.TypedMultipleChoiceField(coerce=int)
    decision = forms.ChoiceField(choices=[("remove", "Remove"), ("keep", "Keep")])

    def __init__(self, *args: Any, known: list[int]) -> None:
        super().__init__(*args)
        cast(forms.ChoiceField, self.fields["ratings"]).choices = [(pk, pk) for pk in known]


@require_safe
@for_campaign()
def written(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """What was written, doubtful captions first, each with the reason."""
    show = checked(WrittenForm(request.GET)).cleaned_data["show"]
    rows = written_captions(campaign)
    chosen = {
        "": rows,
        "doubtful": [row for row in rows if row.doubts and not row.is_removed],
        "removed": [row for row in rows if row.is_removed],
    }
    context = {
        "campaign": campaign,
        "show": show,
        "shown": [(value, label, len(chosen[value])) for value, label in SHOW],
        "page": Paginator(chosen[show], PER_PAGE).get_page(request.GET.get("page")),
        "sets": sorted({row.source for row in rows}),
        "videos": len({row.video for row in rows}),
        "drafts": drafts_to_adopt(campaign, campaigns_for(request.user)) if rows else (),
    }
    return render(request, "analysis/written.html", context)


@require_POST
@for_campaign("hits.change_campaign")
def written_decide(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """Remove captions from the references, or put them back."""
    known = [row.rating for row in written_captions(campaign)]
    form = DecisionForm(request.POST, known=known)
    if not form.is_valid():
        messages.error(request, "Select captions first.")
        return redirect("analysis:written", campaign.slug)
    ratings = form.cleaned_data["ratings"]
    if form.cleaned_data["decision"] == "remove":
        count = services.written_remove(campaign=campaign, ratings=ratings, by=request.user)
        messages.success(request, f"Removed from the references: {count}.")
    else:
        count = services.written_keep(campaign=campaign, ratings=ratings)
        messages.success(request, f"Put back into the references: {count}.")
    return redirect("analysis:written", campaign.slug)


@require_POST
@for_campaign("hits.change_campaign")
def written_adopt(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """Use the captions as the control set of a draft."""
    drafts = drafts_to_adopt(campaign, campaigns_for(request.user))
    into = next((each for each in drafts if each.slug == request.POST.get("into")), None)
    if into is None:
        messages.error(request, "Choose a draft with the same videos.")
        return redirect("analysis:written", campaign.slug)
    try:
        names = services.written_adopt(campaign=campaign, into=into)
    except DomainError as error:
        messages.error(request, str(error))
        return redirect("analysis:written", campaign.slug)
    sets = f"reference set{'' if len(names) == 1 else 's'} {', '.join(names)}"
    messages.success(request, f"“{into.name}” has the {sets}; {names[0]} is its control set.")
    return redirect("hits:video-list", into.slug)
