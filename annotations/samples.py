"""Captions for practice, and captions to look around with where nothing is saved."""

from __future__ import annotations

from typing import Any

from django.templatetags.static import static
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from hits.protocols import AnnotationProtocol

# The clip shows a brown dog running along a beach; behind it a red sailing boat passes. What people
# are told about their practice stands in the protocol's template.
CLIP = "rating/practice.mp4"
PRACTICE_TEXT = _("A brown dog sleeps on a beach while a blue boat sails by.")
SAMPLE_TEXTS = (
    _("A brown dog runs along the beach and a red boat sails past behind it."),
    _("Somebody is cutting vegetables in a kitchen."),
    _("A dog is at the seaside."),
)


def marked_in(protocol: AnnotationProtocol, text: str) -> dict[str, Any]:
    """Where the words of each sentence stand, for pages on which words are marked."""
    return {"sentences": protocol.marks[0].sentences(text)} if protocol.marks else {}


def practice(protocol: AnnotationProtocol) -> list[dict[str, Any]]:
    """One page of items, at positions below 0."""
    texts: tuple[Promise | str, ...] = (PRACTICE_TEXT,)
    if protocol.writes:
        texts = ("",)
    elif protocol.whole_video:
        texts = (PRACTICE_TEXT, *SAMPLE_TEXTS[:2])
    return _items(protocol, texts, whole_page=True, first=-len(texts))


def samples(protocol: AnnotationProtocol) -> list[dict[str, Any]]:
    """Items of a preview: not from any HIT, for nobody who only looks may see those."""
    texts = ("",) if protocol.writes else SAMPLE_TEXTS
    return _items(protocol, texts, whole_page=protocol.whole_video)


def _items(
    protocol: AnnotationProtocol,
    texts: tuple[Promise | str, ...],
    *,
    whole_page: bool,
    first: int = 0,
) -> list[dict[str, Any]]:
    end = first + len(texts)
    return [
        {
            "position": position,
            "page": [first, end] if whole_page else [position, position + 1],
            "text": text,
            **marked_in(protocol, str(text)),
            "media": static(CLIP),
            "answer": None,
        }
        for position, text in enumerate(texts, start=first)
    ]
