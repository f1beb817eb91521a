"""The practice caption, and captions to look around with where nothing is saved."""

from __future__ import annotations

from typing import Any

from django.templatetags.static import static
from django.utils.translation import gettext_lazy as _

# The clip shows a brown dog running along a beach; behind it a red sailing boat passes.
CLIP = "rating/practice.mp4"
STILL = "rating/example.webp"
PRACTICE_TEXT = _("A brown dog sleeps on a beach while a blue boat sails by.")
PRACTICE_COMMENT = _(
    "Most people put this caption somewhere in the middle: dog, beach and boat are right, but the "
    "dog is running, not sleeping, and the boat is red."
)
SAMPLE_TEXTS = (
    _("A brown dog runs along the beach and a red boat sails past behind it."),
    _("Somebody is cutting vegetables in a kitchen."),
    _("A dog is at the seaside."),
)


def practice() -> dict[str, Any]:
    return {"text": PRACTICE_TEXT, "media": static(CLIP), "comment": PRACTICE_COMMENT}


def samples() -> list[dict[str, Any]]:
    """Items of a preview: not from any HIT, for nobody who only looks may see those."""
    return [
        {"position": position, "text": text, "media": static(CLIP), "answer": None}
        for position, text in enumerate(SAMPLE_TEXTS)
    ]
