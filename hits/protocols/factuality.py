"""Factuality (factvc-2023): wrong words are marked, and every paragraph is rated from 1 to 5."""

from __future__ import annotations

from typing import Final

from hits.protocols.values import (
    Advert,
    AnnotationProtocol,
    HitDefaults,
    Likert,
    Marks,
    gettext_noop,
)

FACTUALITY: Final = AnnotationProtocol(
    name="factuality",
    title="Factuality",
    summary="All captions of a video on one page; wrong words are marked, each is rated 1 to 5",
    questions=(
        Marks("marks", gettext_noop("Mark the words that are wrong, as few as possible.")),
        Likert(
            "score",
            gettext_noop("How factual is the whole caption?"),
            (
                gettext_noop("hardly anything is right"),
                gettext_noop("more wrong than right"),
                gettext_noop("more right than wrong"),
                gettext_noop("small errors only"),
                gettext_noop("no error"),
            ),
        ),
    ),
    hits=HitDefaults(size=60, pairs=0, repeats=0, assignments=3),
    whole_video=True,
    same_people=True,
    advert=Advert(
        title="Find errors in captions of short videos",
        description="Watch short videos, mark the words of their captions that are wrong, and "
        "say how factual each caption is.",
        keywords="video, captions, errors",
    ),
)
PROTOCOLS: Final = (FACTUALITY,)
