"""The one page that work and previews share."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static

from annotations.language import speak
from annotations.models import VideoProblem
from annotations.samples import practice
from annotations.wording import words_for
from hits.models import Campaign

MODULES = ("api", "entries", "player", "saver", "tabs", "view", "words")


def rating_page(request: HttpRequest, campaign: Campaign, work: dict[str, Any]) -> HttpResponse:
    """The page, with `work` as its script wants it and the campaign's own wishes added."""
    texts, protocol = speak(campaign), campaign.asked
    words = words_for(protocol)
    work |= {
        "mustWatch": campaign.must_watch,
        "showsNumber": campaign.shows_number,
        "practice": practice(protocol),
    }
    context = {
        "campaign": campaign,
        "texts": texts,
        "protocol": protocol,
        "words": words,
        "watch_first": words["watch-first"],
        "problems": VideoProblem.Kind.choices,
        "work": work,
        "total": work["total"],
        "modules": [static(f"js/rating-{name}.js") for name in MODULES]
        + [
            static(f"js/questions/{kind}.js") for kind in {each.kind for each in protocol.questions}
        ],
    }
    return render(request, protocol.template, context)
