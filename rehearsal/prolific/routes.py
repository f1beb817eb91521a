"""The calls the market answers, one function each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from rehearsal.prolific.answers import (
    bonus_answer,
    group_answer,
    members_answer,
    progress_answer,
    study_answer,
    study_line,
    submission_answer,
    submission_line,
)
from rehearsal.prolific.hooks import Hooks
from rehearsal.prolific.market import Market, Refusal

API: Final = "/api/v1"
DEFAULT_PAGE_SIZE: Final = 20


@dataclass(frozen=True)
class Request:
    """A call that was understood: the words of its path, its query and its body."""

    market: Market
    hooks: Hooks
    words: Mapping[str, str]
    query: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any = None
    headers: Mapping[str, str] | None = None


Handler = Callable[[Request], Answer]
ROUTES: Final[dict[tuple[str, str], Handler]] = {}


def route(method: str, path: str) -> Callable[[Handler], Handler]:
    """Register a function for a call, by the path the document has it under."""

    def register(handler: Handler) -> Handler:
        ROUTES[method, API + path] = handler
        return handler

    return register


def match(method: str, path: str) -> tuple[str, Handler, dict[str, str]] | None:
    """The documented path, the function for it and the words of this one. Fixed paths go first."""
    for (known, template), handler in sorted(ROUTES.items(), key=lambda one: one[0][1].count("{")):
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template)
        if known == method and (found := re.fullmatch(pattern, path)):
            return template, handler, found.groupdict()
    return None


@route("GET", "/workspaces/{workspace_id}/balance/")
def balance(request: Request) -> Answer:
    market = request.market
    if request.words["workspace_id"] != market.workspace:
        raise Refusal("Not found.", status=404)
    return Answer(
        200,
        {
            "currency_code": market.currency,
            "total_balance": market.total_balance,
            "available_balance": market.available_balance,
        },
    )


@route("POST", "/study-cost-calculator/")
def cost(request: Request) -> Answer:
    body = request.body
    total = request.market.cost(body["reward"], int(body["total_available_places"]))
    return Answer(200, {"total_cost": total})


@route("GET", "/filters/")
def filters(request: Request) -> Answer:
    countries = {"0": "United Kingdom", "1": "United States", "2": "Ireland", "3": "Germany"}
    residence = {"filter_id": "current-country-of-residence", "type": "select"}
    return Answer(200, {"results": [{**residence, "title": "Country", "choices": countries}]})


@route("GET", "/studies/")
def studies(request: Request) -> Answer:
    newest_first = reversed(request.market.studies.values())
    return Answer(200, {"results": [study_line(study) for study in newest_first]})


@route("GET", "/projects/{project_id}/studies/")
def project_studies(request: Request) -> Answer:
    newest_first = list(reversed(request.market.studies.values()))
    return _page(request, [study_line(study) for study in newest_first])


@route("POST", "/studies/")
def study_draft(request: Request) -> Answer:
    return Answer(201, study_answer(request.market.draft(request.body)))


@route("GET", "/studies/{id}/")
def study_get(request: Request) -> Answer:
    return Answer(200, study_answer(request.market.study(request.words["id"])))


@route("PATCH", "/studies/{id}/")
def study_change(request: Request) -> Answer:
    study = request.market.study(request.words["id"])
    body = request.body
    total = body.get("total_available_places")
    request.market.add_places(study, body["access_details"], total)
    return Answer(200, study_answer(study))


@route("DELETE", "/studies/{id}/")
def study_delete(request: Request) -> Answer:
    request.market.delete_study(request.market.study(request.words["id"]))
    return Answer(200, {})


@route("POST", "/studies/{id}/transition/")
def study_move(request: Request) -> Answer:
    study = request.market.study(request.words["id"])
    request.market.move_study(study, request.body["action"])
    return Answer(200, study_answer(study))


@route("GET", "/studies/{id}/access-details-progress/")
def study_progress(request: Request) -> Answer:
    study = request.market.study(request.words["id"])
    return Answer(200, progress_answer(request.market, study))


@route("GET", "/studies/{id}/submissions/counts/")
def study_counts(request: Request) -> Answer:
    study = request.market.study(request.words["id"])
    counts = Counter(
        one.status for one in request.market.submissions.values() if one.study == study.id
    )
    return Answer(200, {**counts, "TOTAL": counts.total()})


@route("GET", "/submissions/")
def submissions(request: Request) -> Answer:
    study = request.market.study(request.query.get("study", ""))
    left_out = {
        status
        for name, status in (("approved", "APPROVED"), ("rejected", "REJECTED"))
        if request.query.get(name) == "false"
    }
    lines = [
        submission_line(one)
        for one in request.market.submissions.values()
        if one.study == study.id and one.status not in left_out
    ]
    return _page(request, lines)


@route("GET", "/submissions/{id}/")
def submission_get(request: Request) -> Answer:
    return Answer(200, submission_answer(request.market.submission(request.words["id"])))


@route("POST", "/submissions/{id}/transition/")
def submission_move(request: Request) -> Answer:
    one, body = request.market.submission(request.words["id"]), request.body
    if body["action"] == "REJECT" and (
        "rejection_category" not in body or len(body.get("message", "")) < 100
    ):
        raise Refusal({"message": ["A category and 100 characters are required."]})
    request.market.decide(one, body["action"])
    return Answer(200, submission_answer(one))


@route("POST", "/submissions/bulk-approve/")
def submissions_approve(request: Request) -> Answer:
    request.market.approve_together(request.body["submission_ids"])
    return Answer(200, "Bulk approve in progress")


@route("POST", "/submissions/bonus-payments/")
def bonuses_set_up(request: Request) -> Answer:
    amounts: dict[str, int] = {}
    for line in request.body["csv_bonuses"].split():
        one, _, amount = line.partition(",")
        try:
            amounts[one] = int(Decimal(amount) * 100)
        except InvalidOperation:
            raise Refusal({"csv_bonuses": [f"{line} is no bonus."]}) from None
    batch = request.market.set_up_bonuses(request.body["study_id"], amounts)
    return Answer(201, bonus_answer(request.market, batch))


@route("POST", "/bulk-bonus-payments/{id}/pay/")
def bonuses_pay(request: Request) -> Answer:
    request.market.pay_bonuses(request.words["id"])
    return Answer(202, "Accepted")


@route("POST", "/messages/bulk/")
def messages_send(request: Request) -> Answer:
    request.market.study(request.body["study_id"])
    request.market.messages.append(request.body)
    return Answer(204)


@route("GET", "/participant-groups/")
def groups(request: Request) -> Answer:
    market = request.market
    return Answer(200, {"results": [group_answer(market, one) for one in market.groups.values()]})


@route("POST", "/participant-groups/")
def group_make(request: Request) -> Answer:
    group = request.market.make_group(request.body["name"])
    return Answer(201, group_answer(request.market, group))


@route("POST", "/participant-groups/{id}/participants/")
def group_add(request: Request) -> Answer:
    group = request.market.group(request.words["id"])
    for person in request.body["participant_ids"]:
        group.members.setdefault(person, request.market.clock())
    return Answer(200, members_answer(group))


@route("DELETE", "/participant-groups/{id}/participants/")
def group_remove(request: Request) -> Answer:
    group = request.market.group(request.words["id"])
    for person in request.body["participant_ids"]:
        group.members.pop(person, None)
    return Answer(200, members_answer(group))


@route("POST", "/hooks/secrets/")
def secret_make(request: Request) -> Answer:
    secret = request.hooks.new_secret()
    return Answer(201, {"id": "secret", "value": secret, "workspace_id": request.market.workspace})


@route("GET", "/hooks/subscriptions/")
def subscriptions(request: Request) -> Answer:
    return Answer(200, {"results": [one.line() for one in request.hooks.subscriptions]})


@route("POST", "/hooks/subscriptions/")
def subscription_make(request: Request) -> Answer:
    one = request.hooks.subscribe(request.body["event_type"], request.body["target_url"])
    return Answer(201, {"results": [one.line()]}, {"X-Hook-Secret": one.confirmation})


@route("POST", "/hooks/subscriptions/{subscription_id}/")
def subscription_confirm(request: Request) -> Answer:
    words, body = request.words, request.body
    return Answer(200, request.hooks.confirm(words["subscription_id"], body["secret"]).line())


def _page(request: Request, lines: list[dict[str, Any]]) -> Answer:
    size = int(request.query.get("page_size", DEFAULT_PAGE_SIZE))
    page = int(request.query.get("page", 1))
    start = (page - 1) * size
    if start and start >= len(lines):
        raise Refusal("Invalid page.", status=404)
    return Answer(200, {"results": lines[start : start + size], "meta": {"count": len(lines)}})
