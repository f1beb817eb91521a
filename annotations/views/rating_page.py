"""The one page that work and previews share."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static

from annotations.samples import practice
from hits.models import Campaign

MODULES = ("api", "player", "saver", "scale", "tabs", "view")


def rating_page(request: HttpRequest, campaign: Campaign, work: dict[str, Any]) -> HttpResponse:
    """The page, with `work` as its script wants it and the campaign's own wishes added."""
    work |= {
        "fluency": campaign.asks_fluency,
        "mustWatch": campaign.must_watch,
        "showsNumber": campaign.shows_number,
        "practice": practice(),
    }
    context = {
        "campaign": campaign,
        "work": work,
        "total": work["total"],
        "modules": [static(f"js/rating-{name}.js") for name in MODULES],
    }
    return render(request, "annotations/rate.html", context)
