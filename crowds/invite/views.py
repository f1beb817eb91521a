"""Links: the organiser's page of who is invited, and the page where somebody joins a group."""

from __future__ import annotations

import csv
from typing import Any
from urllib.parse import urlsplit

import segno
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.errors import NothingToTake, TooManyJoins
from annotations.language import speak
from annotations.tokens import Entry, group_read
from annotations.views.guards import page
from crowds.invite.group_links import (
    CAUTION,
    annotator_join,
    group_link_of,
    group_link_offer,
    group_link_opened,
    group_link_replace,
    group_link_revoke,
    join_address,
    join_obstacle,
    joined_sentence,
)
from crowds.invite.invitations import (
    annotators_invite,
    invitation_entry,
    invitations_with_progress,
    inviting_obstacle,
    simulated_took_part,
)
from crowds.models import GroupLink
from crowds.registry import OWN
from crowds.selectors.entry import claim_obstacle, entry_address, entry_path, pay_of, work_estimate
from crowds.selectors.offering import batches_to_launch, group_warnings
from daplatform.errors import DomainError
from daplatform.tables.formulas import defused
from daplatform.throttling import is_too_often
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign


class InvitationForm(forms.Form):
    """People to invite, one to a line."""

    names = forms.CharField(
        label="People to invite",
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One name or e-mail address per line. Each person gets their own link. You send "
        "the links; this site sends nothing.",
    )

    def clean_names(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["names"].splitlines())
        return [line for line in lines if line]


class JoinForm(forms.Form):
    """Somebody who opens the link of a whole group says who they are."""

    name = forms.CharField(
        label=gettext_lazy("Your name or e-mail address"),
        max_length=100,
        help_text=gettext_lazy(
            "With it you can come back to where you stopped. The person who sent the link sees it."
        ),
    )


class GroupLinkForm(forms.Form):
    """The link of a whole group: for how many people, or its end. The button says which."""

    CHANGES = (("offer", "Turn on"), ("replace", "Replace"), ("revoke", "Turn off"))

    change = forms.ChoiceField(choices=CHANGES)
    people = forms.IntegerField(
        label="People who may join", min_value=1, max_value=1000, required=False, initial=20
    )

    def clean(self) -> None:
        if self.cleaned_data.get("change") == "offer" and not self.cleaned_data.get("people"):
            self.add_error("people", "Enter how many people may join.")


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign("hits.change_campaign")
def link_list(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """Invite people by name, and copy the links to send them."""
    form = InvitationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            annotators_invite(campaign=campaign, names=form.cleaned_data["names"], by=request.user)
        except DomainError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The links are ready to send.")
            return redirect("crowds:link-list", campaign.slug)
    return _link_page(request, campaign, form=form)


@require_safe
@for_campaign("hits.change_campaign")
def link_file(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """Everybody's link as CSV, with what a letter to them says, as mail merge reads it."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{campaign.slug}-links.csv"'
    rows = csv.writer(response)
    rows.writerow(["name", "email", "link", "minutes", "pay", "hits_done"])
    minutes = work_estimate(campaign).minutes
    pay = pay_of(Entry(campaign=campaign.pk, crowd=OWN)) or "none"
    for invitation, address in _addressed(campaign):
        name = defused(invitation.name)
        email = name if "@" in name else ""
        rows.writerow([name, email, address, minutes, pay, invitation.finished])
    return response


@require_safe
@for_campaign("hits.change_campaign")
def link_code(
    request: MemberRequest, campaign: Campaign, invitation: int | None = None
) -> HttpResponseBase:
    """A link as a QR code, to be photographed from the screen: one person's, or the group's."""
    if invitation is None:
        link = group_link_of(campaign)
        found = {"the group": join_address(link)} if link else {}
    else:
        found = {row.name: link for row, link in _addressed(campaign) if row.pk == invitation}
    if not found:
        raise Http404
    name, address = found.popitem()
    context = {"campaign": campaign, "name": name, "address": address, "code": _code(address)}
    return render(request, "crowds/link_code.html", context)


def _code(address: str) -> str:
    return str(segno.make(address, micro=False).svg_data_uri(scale=8, border=4))


def _demo_code(campaign: Campaign, address: str) -> str:
    """For the Links page itself, where a phone on the same network can open the demo's links."""
    host = urlsplit(settings.PUBLIC_URL).hostname
    is_reached = campaign.is_demo and host not in ("localhost", "127.0.0.1")
    return _code(address) if is_reached and address else ""


def _addressed(campaign: Campaign) -> list[tuple[Any, str]]:
    """Everybody invited, with how far they are, and their links."""
    return [
        (row, entry_address(invitation_entry(row))) for row in invitations_with_progress(campaign)
    ]


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
            return redirect("crowds:link-list", campaign.slug)
    return _link_page(request, campaign, group_form=form)


def _group_link_change(campaign: Campaign, by: User, *, change: str, people: int) -> str:
    """What was asked for is done; a sentence says so."""
    if change == "offer":
        group_link_offer(campaign=campaign, people=people, by=by)
        return f"{people:,} people may join by the group link."
    if change == "replace":
        group_link_replace(campaign=campaign, by=by)
        return "The group has a new link. The old one no longer works."
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
        "own": OWN,
        "unlaunched": inviting_obstacle(campaign),
        "batches": batches_to_launch(campaign),
        "obstacle": claim_obstacle(campaign=campaign, annotator=None) if is_live else "",
        "rows": _addressed(campaign),
    }
    links = [context["join"], *(address for _, address in context["rows"])]
    context["code"] = _demo_code(campaign, next(filter(None, links), ""))
    if group_form is not None:
        context["group_form"] = group_form
    refused = any(given is not None and given.errors for given in (form, group_form))
    return render(request, "crowds/link_list.html", context, status=400 if refused else 200)


def _group_context(campaign: Campaign) -> dict[str, Any]:
    link = group_link_of(campaign)
    return {
        "caution": CAUTION,
        "group_warnings": group_warnings(campaign, link.people) if link and link.is_open else (),
        "group_link": link,
        "group_form": GroupLinkForm(initial={"people": link.people} if link else None),
        "join": join_address(link) if link else "",
        "joined": joined_sentence(link) if link else "",
    }


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
        raise TooManyJoins(_("Many people join from where you are. Wait a minute, then try again."))


def _join_page(request: HttpRequest, link: GroupLink, form: JoinForm) -> HttpResponseBase:
    campaign = link.campaign
    speak(campaign)
    context = {"campaign": campaign, "form": form, "estimate": work_estimate(campaign)}
    status = 400 if form.errors else 200
    response = render(request, "crowds/join.html", context, status=status)
    # The form's origin is checked, and under "no-referrer" a browser would not tell it.
    response["Referrer-Policy"] = "same-origin"
    return response
