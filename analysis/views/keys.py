"""A person's own keys for scripts."""

from __future__ import annotations

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from analysis.forms import KeyForm
from analysis.models import ApiKey
from analysis.services.keys import key_create, key_withdraw
from hits.views.access import MemberRequest, for_member


@require_http_methods(["GET", "HEAD", "POST"])
@for_member()
def key_list(request: MemberRequest) -> HttpResponseBase:
    """The keys there are; a new one is shown this once."""
    form = KeyForm(request.POST or None)
    key = ""
    if request.method == "POST" and form.is_valid():
        key = key_create(owner=request.user, name=form.cleaned_data["name"])
        form = KeyForm()
    context = {"keys": ApiKey.objects.filter(owner=request.user), "form": form, "key": key}
    response = render(request, "analysis/keys.html", context, status=400 if form.errors else 200)
    response["Cache-Control"] = "no-store"
    return response


@require_POST
@for_member()
def key_delete(request: MemberRequest, pk: int) -> HttpResponseBase:
    key_withdraw(key=get_object_or_404(ApiKey, owner=request.user, pk=pk))
    return redirect("key-list")
