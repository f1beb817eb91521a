"""What was ordered about annotators: how far it is, and undoing it until it is sent."""

from __future__ import annotations

import hashlib
from collections import Counter

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from annotations.selectors.orders import orders_shown
from annotations.services.orders import order_undo, order_words
from daplatform.errors import DomainError
from daplatform.row_keys import row_key
from hits.models import Act, Campaign, Order
from hits.views.access import MemberRequest, for_campaign


@require_safe
@for_campaign("hits.change_campaign")
def order_list(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """A page of its own, or the block that others include; nothing (204) where it is shown."""
    rows = orders_shown(campaign, now=timezone.now())
    digest = hashlib.sha256(repr(rows).encode()).hexdigest()[:16]
    if request.GET.get("seen") == digest:
        return HttpResponse(status=204)
    context = {
        "campaign": campaign,
        "orders": [row for row in rows if not row.is_undone],
        "undone": [row for row in rows if row.is_undone],
        "digest": digest,
        "is_moving": any(row.is_moving for row in rows),
        "next": _on_this_site(request.GET.get("next", "")),
    }
    name = "_orders.html" if request.htmx else "orders.html"
    return render(request, f"annotations/crowd/{name}", context)


@require_POST
@for_campaign("hits.change_campaign")
def order_take_back(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    """The whole order or, where one is named, a single act of it."""
    order = get_object_or_404(Order, pk=pk, campaign=campaign)
    try:
        order_undo(order=order, by=request.user, act=_named(order, request.POST.get("act", "")))
    except DomainError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _undone(order))
    fallback = reverse("annotations:order-list", args=[campaign.slug])
    # An address, not the name of one: `redirect` would look any plain word up.
    return HttpResponseRedirect(_on_this_site(request.POST.get("next", "")) or fallback)


def _named(order: Order, number: str) -> int | None:
    """The act of the order that is named; None where none is. Nonsense is not the whole order."""
    if not number:
        return None
    key = row_key(number)
    if key is None:
        raise Http404("There is no such act.")
    return get_object_or_404(order.acts, pk=key).pk


def _undone(order: Order) -> str:
    states = Counter(order.acts.values_list("state", flat=True))
    word = f"Undone: {order_words(order)}."
    if gone := states.total() - states[Act.State.UNDONE] - states[Act.State.WAITING]:
        return f"{word} {gone} of {states.total()} had been sent already, and cannot be undone."
    return word


def _on_this_site(address: str) -> str:
    """An address that is not somebody else's; anything else is nothing."""
    return address if url_has_allowed_host_and_scheme(address, allowed_hosts=None) else ""
