"""Orders about annotators: what one does and costs is seen first, then it is given."""

from __future__ import annotations

from decimal import Decimal
from uuid import uuid4

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS, BadRequest, ValidationError
from django.db import transaction
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from analysis.forms import AnnotatorsForm
from analysis.reasons import proposed_reason
from analysis.selectors import annotators as people
from analysis.views.annotators import filters
from analysis.views.latest import Latest, checked, latest_result
from annotations.forms import OrderForm
from annotations.models import Annotator
from annotations.selectors.reviews import rejection_categories
from annotations.services.orders import NothingToDo, Outcome, order_give, order_preview
from daplatform.errors import DomainError
from daplatform.wording import counted
from hits.models import Campaign, Order
from hits.selectors.money import campaign_currency
from hits.services.money import money_left
from hits.views.access import MemberRequest, for_campaign

NAMED = 20
IDLE = "nothing to do"


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign("hits.change_campaign")
def annotators_order(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """From the list: shows what would be done with those ticked; `confirm` does it.

    Opened from the browser's bar, where nobody is ticked, it leads back to the list.
    """
    back = f"{reverse('analysis:annotator-list', args=[campaign.slug])}?{request.GET.urlencode()}"
    if request.method != "POST":
        return redirect(back)
    latest = latest_result(request, campaign)
    chosen = _chosen(request, latest)
    if not chosen:
        messages.error(request, "Tick the annotators it is about.")
        return redirect(back)
    kind = _kind(request)
    form = _form(request, kind, latest, chosen)
    outcome = _outcome(request, campaign, chosen, form)
    if outcome is not None and "confirm" in request.POST and not form.errors:
        messages.success(request, _sentence(outcome.order))
        return redirect(back)
    context = {
        "campaign": campaign,
        "kind": kind,
        "chosen": chosen,
        "is_everybody": "everybody" in request.POST,  # too many to be named in a form, perhaps
        "named": chosen[:NAMED],
        "form": form,
        "outcome": outcome,
        "is_idle": form.has_error(NON_FIELD_ERRORS, IDLE),
        "seen": _seen(outcome) if outcome else "",
        "passed": _passed(latest, chosen) if kind == Order.Kind.REJECT else 0,
        **_budget(campaign, kind, outcome),
        "currency": campaign_currency(campaign),
        "back": back,
    }
    return render(request, "analysis/order.html", context, status=400 if form.errors else 200)


def _kind(request: MemberRequest) -> Order.Kind:
    try:
        return Order.Kind(request.POST.get("kind", ""))
    except ValueError:
        raise BadRequest("There is no such choice.") from None


def _chosen(request: MemberRequest, latest: Latest) -> list[Annotator]:
    """Those ticked, or everybody the filters of the address leave."""
    everybody = people.campaign_annotators(latest.campaign).select_related("identity")
    # Nobody's name holds NUL, and PostgreSQL cannot even be asked for one.
    names = [name for name in request.POST.getlist("annotator") if "\0" not in name]
    if "everybody" in request.POST and latest.listed:
        form = checked(AnnotatorsForm(request.GET))
        names = people.annotators_listed(latest.listed, **filters(form))["annotator"].to_pylist()
    return list(everybody.filter(pseudonym__in=names).order_by("pseudonym"))


def _form(
    request: MemberRequest, kind: Order.Kind, latest: Latest, chosen: list[Annotator]
) -> OrderForm:
    """As it was sent or, coming from the list, with words that suit and no complaint yet."""
    categories = rejection_categories(latest.campaign)
    if "once" in request.POST:
        return OrderForm(request.POST, kind=kind, categories=categories)
    text = _proposal(latest, chosen) if kind == Order.Kind.REJECT else ""
    first = {"kind": kind, "once": uuid4().hex, "text": text}
    form = OrderForm(first, kind=kind, categories=categories)
    return form if form.is_valid() else OrderForm(initial=first, kind=kind, categories=categories)


def _proposal(latest: Latest, chosen: list[Annotator]) -> str:
    if not latest.listed:
        return ""
    names = [each.pseudonym for each in chosen]
    known = people.annotators_analysed(latest.listed, names)
    return proposed_reason(known) if len(known) == len(names) else ""


def _passed(latest: Latest, chosen: list[Annotator]) -> int:
    """How many of those chosen quality control has nothing against."""
    if not latest.listed:
        return 0
    listed = people.annotators_listed(latest.listed, show="passed")
    return len({each.pseudonym for each in chosen} & set(listed["annotator"].to_pylist()))


def _budget(campaign: Campaign, kind: Order.Kind, outcome: Outcome | None) -> dict[str, Decimal]:
    """What is left of it now, and once the order is carried out."""
    left = money_left(campaign)
    if outcome is None:
        return {"left": left, "left_after": left}
    freed = outcome.order.cost if kind == Order.Kind.REJECT else -outcome.promised
    return {"left": left, "left_after": left + freed}


@transaction.atomic
def _outcome(
    request: MemberRequest, campaign: Campaign, chosen: list[Annotator], form: OrderForm
) -> Outcome | None:
    """What is done or, before it is confirmed, would be; None where it cannot be.

    The reason is among the form's errors, as it is where something else was looked at before.
    """
    if not form.is_valid():
        return None
    is_confirmed = "confirm" in request.POST
    try:
        outcome = (order_give if is_confirmed else order_preview)(
            campaign=campaign,
            annotators=chosen,
            wish=form.wish(),
            once=form.cleaned_data["once"],
            by=request.user,
        )
    except DomainError as error:
        code = IDLE if isinstance(error, NothingToDo) else None
        form.add_error(None, ValidationError(str(error), code))
        return None
    if is_confirmed and form.cleaned_data["seen"] != _seen(outcome):
        transaction.set_rollback(True)
        form.add_error(None, "This is not what you looked at before. Look once more.")
    return outcome


def _sentence(order: Order) -> str:
    minutes = counted(max(1, round(settings.UNDO_SECONDS / 60)), "minute", "minutes")
    return f"{order.get_kind_display()}: it is sent in {minutes}, unless you undo it."


def _seen(outcome: Outcome) -> str:
    """What a form that was shown with this outcome sends back."""
    order = outcome.order
    return f"{order.people} {order.submissions} {order.cost:.2f}"
