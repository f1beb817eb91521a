"""One link for a whole group: whoever opens it says who they are and gets a link of their own."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotations.addresses import entry_path, invitation_entry
from annotations.errors import LinkRefused
from annotations.forms import JoinForm
from annotations.selectors.entry import entry_campaign, work_estimate
from annotations.services.annotators import INVITED, annotator_join
from annotations.tokens import entry_read
from annotations.views.guards import page
from daplatform.errors import DomainError


@require_http_methods(["GET", "HEAD", "POST"])
@page
def join(request: HttpRequest, token: str) -> HttpResponseBase:
    entry = entry_read(token)
    if entry.crowd != INVITED or entry.invitation is not None:
        raise LinkRefused("This link does not let people join.")
    campaign = entry_campaign(entry)
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            invitation = annotator_join(campaign=campaign, name=form.cleaned_data["name"])
        except DomainError as error:
            form.add_error("name", str(error))
        else:
            return redirect(entry_path(invitation_entry(invitation)))
    context = {"campaign": campaign, "form": form, "estimate": work_estimate(campaign)}
    status = 400 if form.errors else 200
    response = render(request, "annotations/join.html", context, status=status)
    # The form's origin is checked, and under "no-referrer" a browser would not tell it.
    response["Referrer-Policy"] = "same-origin"
    return response
