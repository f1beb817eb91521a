"""The one page that work and previews share."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static

from annotations.language import speak
from annotations.models import VideoProblem
from annotations.samples import practice
from annotations.wording import WORDS
from hits.models import Campaign

MODULES = ("api", "player", "saver", "scale", "tabs", "view", "words")


def rating_page(request: HttpRequest, campaign: Campaign, work: dict[str, Any]) -> HttpResponse:
    """The page, with `work` as its script wants it and the campaign's own wishes added."""
    texts = speak(campaign)
    work |= {
        "fluency": campaign.asks_fluency,
        "mustWatch": campaign.must_watch,
        "showsNumber": campaign.shows_number,
        "practice": practice(),
    }
    context = {
        "campaign": campaign,
        "texts": texts,
        "words": WORDS,
        "watch_first": WORDS["watch-first"],
        "problems": VideoProblem.Kind.choices,
        "work": work,
        "total": work["total"],
        "modules": [static(f"js/rating-{name}.js") for name in MODULES],
    }
    return render(request, "annotations/rate.html", context)
