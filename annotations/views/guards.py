"""What every annotator's view has around it: frame policy, origin check, refusals in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt

from annotations import errors
from annotations.language import spoken
from annotations.tokens import RatingSession, session_read
from daplatform.errors import DomainError
from daplatform.throttling import WINDOW, is_refused_too_often

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]

TOKEN_HEADER = "X-Assignment"  # noqa: S105 - the header's name, not its content
# A rating takes about 600 bytes and the longest comment 8,000: anything larger is a mistake.
MAX_BODY = 16_000
STATUS: dict[type[DomainError], int] = {
    errors.LinkRefused: 403,
    errors.LinkWithdrawn: 410,
    errors.TooManyRefused: 429,
    errors.TooManyClaims: 429,
    errors.TooManyJoins: 429,
    errors.InvalidPost: 400,
    errors.TooLarge: 413,
    errors.UnknownItem: 404,
    errors.OutOfOrder: 409,
    errors.TooManyChanges: 409,
    errors.NothingToTake: 409,
    errors.Unfinished: 409,
    errors.WorkClosed: 410,
}


def framed(view: View[P]) -> View[P]:
    """A page that the marketplaces' origins, and nobody else, may show in a frame."""

    @wraps(view)
    def with_policy(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        response.headers.setdefault("Referrer-Policy", "no-referrer")
        policy = {
            "frame-ancestors": settings.FRAME_ANCESTORS or [NONE],
            "form-action": [SELF, *settings.FORM_ORIGINS],
        }
        return csp_replace(policy)(lambda _: response)(request)

    return xframe_options_exempt(with_policy)


def page(view: View[P]) -> View[P]:
    """A page for annotators, never from a cache: the work goes on meanwhile."""
    return csrf_exempt(never_cache(framed(explained(view))))


def explained(view: View[P]) -> View[P]:
    """What cannot be done is said on a page of its own."""

    @wraps(view)
    def speaking(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        with spoken(request):
            try:
                _check_origin(request)
                return view(request, *args, **kwargs)
            except DomainError as error:
                refusal = _refusal(request, error)
                context = {"sentence": str(refusal)}
                name, status = "annotations/refusal.html", _status(refusal)
                return _patient(render(request, name, context, status=status))

    return speaking


def endpoint(view: Callable[[HttpRequest, RatingSession], HttpResponseBase]) -> View[[]]:
    """An endpoint of the rating page: the turn comes in a header, refusals are JSON.

    No cookie is read, so no other site can make a browser act here on somebody's behalf: they
    cannot know the token, and a header of ours is not sent across origins without our leave.
    The origin is checked all the same.
    """

    @wraps(view)
    def with_turn(request: HttpRequest) -> HttpResponseBase:
        with spoken(request):
            try:
                _check_origin(request)
                _check_size(request)
                return view(request, session_read(request.headers.get(TOKEN_HEADER, "")))
            except DomainError as error:
                refusal = _refusal(request, error)
                answer = {"error": str(refusal), "code": _code(refusal)}
                return _patient(JsonResponse(answer, status=_status(refusal)))

    return csrf_exempt(never_cache(with_turn))


def _check_origin(request: HttpRequest) -> None:
    if request.method in ("GET", "HEAD"):
        return
    host = urlsplit(request.headers.get("Origin", "")).netloc
    if host not in (request.get_host(), urlsplit(settings.PUBLIC_URL).netloc):
        raise errors.LinkRefused(_("This request came from another site and was not accepted."))


def _check_size(request: HttpRequest) -> None:
    if int(request.headers.get("Content-Length") or 0) > MAX_BODY:
        raise errors.TooLarge(_("This is too long for a rating or a comment."))


def _refusal(request: HttpRequest, error: DomainError) -> DomainError:
    """Why it is refused: for itself, or because too much was refused before it.

    Only what is refused anyway is counted and answered so. A sound link works whoever else shares
    its address and whatever they try: checking it costs less than asking how often it was tried.
    """
    if isinstance(error, errors.LinkRefused) and is_refused_too_often(request):
        return errors.TooManyRefused(
            _(
                "Too many invalid links were opened from your network. "
                "Wait a minute, then open yours."
            )
        )
    return error


def _patient(response: HttpResponse) -> HttpResponse:
    if response.status_code == 429:
        response["Retry-After"] = str(WINDOW)
    return response


def _status(error: DomainError) -> int:
    return STATUS.get(type(error), 400)


def _code(error: DomainError) -> str:
    """`OutOfOrder` is `out-of-order` to the script.

    >>> _code(errors.OutOfOrder("…"))
    'out-of-order'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(error).__name__).lower()
