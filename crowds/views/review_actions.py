"""Review actions: what one does and costs is seen first; undoing it until it is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from uuid import uuid4

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS, BadRequest, ValidationError
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from annotations.models import Annotator
from crowds.forms import ReviewActionForm
from crowds.models import OutboxMessage, ReviewAction
from crowds.selectors.money import campaign_currency
from crowds.selectors.review_actions import review_actions_context
from crowds.selectors.reviews import rejection_categories
from crowds.services.money import money_left
from crowds.services.review_actions import (
    NothingToDo,
    Outcome,
    review_action_give,
    review_action_preview,
    review_action_undo,
    review_action_words,
)
from daplatform.errors import DomainError
from daplatform.row_keys import row_key
from daplatform.wording import counted
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign

NAMED = 20
IDLE = "nothing to do"


@require_safe
@for_campaign("hits.change_campaign")
def review_action_list(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """A page of its own, or the block that others include; nothing (204) where it is shown."""
    found = review_actions_context(campaign, now=timezone.now())
    if request.GET.get("seen") == found["digest"]:
        return HttpResponse(status=204)
    context = found | {"next": _on_this_site(request.GET.get("next", ""))}
    name = "_review_actions.html" if request.htmx else "review_actions.html"
    return render(request, f"crowds/{name}", context)


@require_POST
@for_campaign("hits.change_campaign")
def review_action_take_back(
    request: MemberRequest, campaign: Campaign, pk: int
) -> HttpResponseBase:
    """The whole order or, where one is named, a single message of it."""
    action = get_object_or_404(ReviewAction, pk=pk, campaign=campaign)
    try:
        review_action_undo(
            action=action, by=request.user, message=_named(action, request.POST.get("message", ""))
        )
    except DomainError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _undone(action))
    fallback = reverse("crowds:review-action-list", args=[campaign.slug])
    # An address, not the name of one: `redirect` would look any plain word up.
    return HttpResponseRedirect(_on_this_site(request.POST.get("next", "")) or fallback)


def _named(action: ReviewAction, number: str) -> int | None:
    """The action's message that is named; None where none is. Nonsense is not the whole action."""
    if not number:
        return None
    key = row_key(number)
    if key is None:
        raise Http404("There is no such message.")
    return get_object_or_404(action.messages, pk=key).pk


def _undone(action: ReviewAction) -> str:
    states = Counter(action.messages.values_list("state", flat=True))
    word = f"Undone: {review_action_words(action)}."
    if (
        gone := states.total()
        - states[OutboxMessage.State.UNDONE]
        - states[OutboxMessage.State.WAITING]
    ):
        return f"{word} {gone} of {states.total()} had already been sent and cannot be undone."
    return word


def _on_this_site(address: str) -> str:
    """An address that is not somebody else's; anything else is nothing."""
    return address if url_has_allowed_host_and_scheme(address, allowed_hosts=None) else ""


@dataclass(frozen=True)
class Choice:
    """Annotators that were ticked, and what the page that lists them knows of them."""

    annotators: list[Annotator]
    back: str  # where they are listed
    reason: Callable[[], str]  # proposed for rejecting their work
    passed: Callable[[], int]  # how many of them quality control has nothing against


def review_action_page(
    request: MemberRequest, campaign: Campaign, choice: Choice
) -> HttpResponseBase:
    """Shows what would be done with those ticked; `confirm` does it."""
    chosen, kind = choice.annotators, _kind(request)
    form = _form(request, kind, campaign, choice)
    outcome = _outcome(request, campaign, chosen, form)
    if outcome is not None and "confirm" in request.POST and not form.errors:
        messages.success(request, _sentence(outcome.action))
        return redirect(choice.back)
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
        "passed": choice.passed() if kind == ReviewAction.Kind.REJECT else 0,
        **_budget(campaign, kind, outcome),
        "currency": campaign_currency(campaign),
        "back": choice.back,
    }
    return render(request, "crowds/review_action.html", context, status=400 if form.errors else 200)


def _kind(request: MemberRequest) -> ReviewAction.Kind:
    try:
        return ReviewAction.Kind(request.POST.get("kind", ""))
    except ValueError:
        raise BadRequest("There is no such choice.") from None


def _form(
    request: MemberRequest, kind: ReviewAction.Kind, campaign: Campaign, choice: Choice
) -> ReviewActionForm:
    """As it was sent or, coming from the list, with words that suit and no complaint yet."""
    categories = rejection_categories(campaign)
    if "once" in request.POST:
        return ReviewActionForm(request.POST, kind=kind, categories=categories)
    text = choice.reason() if kind == ReviewAction.Kind.REJECT else ""
    first = {"kind": kind, "once": uuid4().hex, "text": text}
    form = ReviewActionForm(first, kind=kind, categories=categories)
    return (
        form
        if form.is_valid()
        else ReviewActionForm(initial=first, kind=kind, categories=categories)
    )


def _budget(
    campaign: Campaign, kind: ReviewAction.Kind, outcome: Outcome | None
) -> dict[str, Decimal]:
    """What is left of it now, and once the action is carried out."""
    left = money_left(campaign)
    if outcome is None:
        return {"left": left, "left_after": left}
    freed = outcome.action.cost if kind == ReviewAction.Kind.REJECT else -outcome.promised
    return {"left": left, "left_after": left + freed}


@transaction.atomic
def _outcome(
    request: MemberRequest, campaign: Campaign, chosen: list[Annotator], form: ReviewActionForm
) -> Outcome | None:
    """What is done or, before it is confirmed, would be; None where it cannot be.

    The reason is among the form's errors, as it is where something else was looked at before.
    """
    if not form.is_valid():
        return None
    is_confirmed = "confirm" in request.POST
    try:
        outcome = (review_action_give if is_confirmed else review_action_preview)(
            campaign=campaign,
            annotators=chosen,
            asked=form.asked(),
            once=form.cleaned_data["once"],
            by=request.user,
        )
    except DomainError as error:
        code = IDLE if isinstance(error, NothingToDo) else None
        form.add_error(None, ValidationError(str(error), code))
        return None
    if is_confirmed and form.cleaned_data["seen"] != _seen(outcome):
        transaction.set_rollback(True)
        form.add_error(None, "Something has changed since you opened the page. Check it again.")
    return outcome


def _sentence(action: ReviewAction) -> str:
    minutes = counted(max(1, round(settings.UNDO_SECONDS / 60)), "minute", "minutes")
    return f"{action.get_kind_display()}: this is sent in {minutes} unless you undo it."


def _seen(outcome: Outcome) -> str:
    """What a form that was shown with this outcome sends back."""
    action = outcome.action
    return f"{action.people} {action.submissions} {action.cost:.2f}"
