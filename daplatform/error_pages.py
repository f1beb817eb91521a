"""The page of a request that makes no sense, with the reason where we know one."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class NoSuchChoice(BadRequest):
    """An address asks for what cannot be chosen; its sentence says what can."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Only our own sentences are shown: others quote what was sent."""
    sentence = str(exception) if isinstance(exception, NoSuchChoice) else ""
    return render(request, "400.html", {"sentence": sentence}, status=400)
