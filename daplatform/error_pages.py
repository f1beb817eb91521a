"""The pages of requests that make no sense, or that cannot be answered just now."""

from __future__ import annotations

import sys

from django.core.exceptions import BadRequest
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from daplatform.shared_files import is_away

RETRY_AFTER = 5
AWAY = "The database is not responding at the moment. Nothing you saved is lost. Try again later."


BUCKET_AWAY = "This file is not available at the moment. Nothing is lost. Try again in a minute."


class NoSuchChoice(BadRequest):
    """An address asks for what cannot be chosen; its sentence says what can."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Only our own sentences are shown: others quote what was sent."""
    sentence = str(exception) if isinstance(exception, NoSuchChoice) else ""
    return render(request, "400.html", {"sentence": sentence}, status=400)


def server_error(request: HttpRequest) -> HttpResponse:
    """A fault of ours is 500; a database or bucket that is away or hangs passes, and is 503.

    Django calls this for whatever a view or a middleware did not catch. Neither page may ask the
    database anything, not even who is logged in: so they are rendered without the request.
    """
    if isinstance(sys.exception(), OperationalError | InterfaceError):
        sentence = AWAY
    elif is_away(sys.exception()):
        sentence = BUCKET_AWAY
    else:
        return HttpResponse(render_to_string("500.html"), status=500)
    if "text/html" in request.headers.get("Accept", ""):
        answer = HttpResponse(render_to_string("503.html", {"sentence": sentence}), status=503)
    else:
        answer = JsonResponse({"error": sentence, "code": "unavailable"}, status=503)
    answer["Retry-After"] = str(RETRY_AFTER)
    return answer
