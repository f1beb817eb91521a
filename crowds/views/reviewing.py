"""Reviewing submissions: one or many at once."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotations.selectors.confirming import (
    assignments_unconfirmed,
    status_words,
    unconfirmed_counts,
)
from crowds.forms import ReviewForm
from crowds.models import ReviewAction, Submission
from crowds.selectors.money import policy_of
from crowds.selectors.reviews import (
    rejection_categories,
    review_row,
    submissions_filtered,
)
from crowds.services.people import submissions_invite_again, submissions_message
from crowds.services.review_actions import review_action_write
from crowds.services.reviews import (
    submission_bonus,
    submissions_pay,
    submissions_refuse,
    submissions_use,
)
from crowds.tasks import outbox_run_task
from daplatform.errors import DomainError
from daplatform.row_keys import row_key
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign

PER_PAGE = 50
UNCONFIRMED = "unconfirmed"
VIEWS = (
    ("", "All"),
    ("open", "To be decided"),
    ("problem", "With a problem"),
    (UNCONFIRMED, "Not confirmed"),
)
USES = {"use": True, "leave_out": False, "use_rule": None}
ORDERED = {
    "pay": (ReviewAction.Kind.APPROVE, "will be paid."),
    "refuse": (ReviewAction.Kind.REJECT, "will not be paid."),
    "bonus": (ReviewAction.Kind.BONUS, "will get a bonus."),
    "message": (ReviewAction.Kind.MESSAGE, "will get the message."),
}
INVITES = {"invite": True, "uninvite": False, "invite_rule": None}


@require_http_methods(["GET", "HEAD", "POST"])
@for_campaign("hits.change_campaign")
def review(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """GET shows who did what; POST decides about those that are ticked."""
    view = request.GET.get("show", "")
    if view == UNCONFIRMED:
        return _unconfirmed(request, campaign)
    form = ReviewForm(request.POST or None, categories=rejection_categories(campaign))
    rows = submissions_filtered(campaign, view)
    if request.method == "POST" and form.is_valid():
        chosen = rows if "everybody" in request.POST else rows.filter(pk__in=_ticked(request))
        if _decide(request, campaign, list(chosen), form):
            return redirect(f"{reverse('crowds:review', args=[campaign.slug])}?show={view}")
    policy = policy_of(campaign)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "policy": policy,
        "form": form,
        "page": page,
        "rows": [review_row(submission, policy) for submission in page],
        "ticked": set(_ticked(request)),
        "is_everybody": "everybody" in request.POST,
        "once": uuid4().hex,
        "views": VIEWS,
        "view": view,
        "unconfirmed": unconfirmed_counts(campaign),
    }
    status = 400 if form.errors else 200
    return render(request, "crowds/review.html", context, status=status)


def _unconfirmed(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """Work nobody can decide about, for no marketplace says whose it is."""
    turns = assignments_unconfirmed(campaign=campaign)
    page = Paginator(turns, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "page": page,
        "rows": [(turn, status_words(turn, timezone.now())) for turn in page],
        "minutes": settings.CONFIRMATION_MINUTES,
        "views": VIEWS,
        "view": UNCONFIRMED,
    }
    return render(request, "crowds/unconfirmed.html", context)


def _ticked(request: MemberRequest) -> list[int]:
    named = request.POST.getlist("submission")
    return [key for text in named if (key := row_key(text)) is not None]


def _decide(
    request: MemberRequest, campaign: Campaign, chosen: list[Submission], form: ReviewForm
) -> bool:
    if not chosen:
        form.add_error(None, "Select at least one submission.")
        return False
    try:
        with transaction.atomic():
            sentence = _act(request, campaign, chosen, form)
    except DomainError as error:
        form.add_error(getattr(error, "field", None), str(error))
        return False
    for crowd in {submission.crowd for submission in chosen}:
        outbox_run_task.delay_on_commit(crowd)  # type: ignore[attr-defined]
    messages.success(request, sentence)
    return True


def _act(
    request: MemberRequest, campaign: Campaign, chosen: list[Submission], form: ReviewForm
) -> str:
    action = form.cleaned_data["action"]
    common: dict[str, Any] = {"campaign": campaign, "submissions": chosen, "by": request.user}
    if action in USES:
        submissions_use(use=USES[action], **common)
    elif action in INVITES:
        submissions_invite_again(again=INVITES[action], **common)
    else:
        return _order(request, campaign, chosen, form)
    return f"Applied to {len(chosen)} submission{'s' if len(chosen) > 1 else ''}."


def _order(
    request: MemberRequest, campaign: Campaign, chosen: list[Submission], form: ReviewForm
) -> str:
    """What people are paid or told waits a while, and can be undone."""
    kind, sentence = ORDERED[form.cleaned_data["action"]]
    # Who was refused is paid after all only if somebody ticks them: a list is soon chosen.
    overrule = "everybody" not in request.POST
    outcome = review_action_write(
        campaign=campaign,
        kind=kind,
        text=form.cleaned_data["text"],
        once=form.cleaned_data["once"],
        by=request.user,
        carry_out=lambda action: _carry_out(action, chosen, form.cleaned_data, overrule),
    )
    return f"{outcome.action.submissions or outcome.action.people} {sentence}"


def _carry_out(
    action: ReviewAction, chosen: list[Submission], sent: dict[str, Any], overrule: bool
) -> list[str]:
    common: dict[str, Any] = {"campaign": action.campaign, "by": action.given_by, "action": action}
    if action.kind == ReviewAction.Kind.APPROVE:
        submissions_pay(submissions=chosen, overrule=overrule, **common)
    elif action.kind == ReviewAction.Kind.REJECT:
        category = sent.get("category", "")
        submissions_refuse(submissions=chosen, reason=sent["text"], category=category, **common)
    elif action.kind == ReviewAction.Kind.MESSAGE:
        subject = action.campaign.name
        submissions_message(submissions=chosen, subject=subject, text=sent["text"], **common)
    else:
        money = {"amount": sent["amount"], "reason": sent["text"], "once": action.once}
        for submission in chosen:
            submission_bonus(submission=submission, **money, **common)
    return []
