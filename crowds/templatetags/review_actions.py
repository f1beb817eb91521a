"""What was decided lately about annotators, on pages about them."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils import timezone

from crowds.selectors.review_actions import review_actions_context

register = template.Library()


@register.inclusion_tag("crowds/_review_actions.html", takes_context=True)
def review_actions_here(context: dict[str, Any]) -> dict[str, Any]:
    """As the page of them shows it; what is undone leads back to this page."""
    found = review_actions_context(context["campaign"], now=timezone.now())
    request = context["request"]
    return found | {"next": request.get_full_path(), "csrf_token": context.get("csrf_token")}
