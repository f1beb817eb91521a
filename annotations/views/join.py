"""One link for a whole group: whoever opens it says who they are and gets a link of their own."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotations.addresses import entry_path, invitation_entry
from annotations.errors import NothingToTake, TooManyJoins
from annotations.forms import JoinForm
from annotations.models import GroupLink
from annotations.selectors.entry import work_estimate
from annotations.selectors.group_links import group_link_opened, join_obstacle
from annotations.services.group_links import annotator_join
from annotations.tokens import group_read
from annotations.views.guards import page
from daplatform.errors import DomainError
from daplatform.throttling import is_too_often


@require_http_methods(["GET", "HEAD", "POST"])
@page
def join(request: HttpRequest, token: str) -> HttpResponseBase:
    """Looking writes nothing, nor does whoever is refused: only joining makes a row."""
    group = group_read(token)
    link = group_link_opened(group)
    if sentence := join_obstacle(link):
        raise NothingToTake(sentence)
    form = JoinForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        _refuse_too_many(request)
    if form.is_valid():
        try:
            invitation = annotator_join(group=group, name=form.cleaned_data["name"])
        except DomainError as error:
            form.add_error("name", str(error))
        else:
            return redirect(entry_path(invitation_entry(invitation)))
    return _join_page(request, link, form)


def _refuse_too_many(request: HttpRequest) -> None:
    if is_too_often(request, "join", limit=settings.JOINS_PER_MINUTE):
        raise TooManyJoins("Many people join from where you are. Wait a minute, then try again.")


def _join_page(request: HttpRequest, link: GroupLink, form: JoinForm) -> HttpResponseBase:
    campaign = link.campaign
    context = {"campaign": campaign, "form": form, "estimate": work_estimate(campaign)}
    status = 400 if form.errors else 200
    response = render(request, "annotations/join.html", context, status=status)
    # The form's origin is checked, and under "no-referrer" a browser would not tell it.
    response["Referrer-Policy"] = "same-origin"
    return response
