"""Consistency (emscore-2022): all captions of a video on one page, each rated from 1 to 5."""

from __future__ import annotations

from typing import Final

from hits.protocols.values import Advert, AnnotationProtocol, HitDefaults, Likert, gettext_noop

CONSISTENCY: Final = AnnotationProtocol(
    name="consistency",
    title="Consistency",
    summary="All captions of a video on one page, each rated from 1 to 5",
    questions=(
        Likert(
            "score",
            gettext_noop("How consistent is the caption with the video?"),
            (
                gettext_noop("nothing is right"),
                gettext_noop("little is right"),
                gettext_noop("an event is wrong"),
                gettext_noop("a detail is wrong"),
                gettext_noop("all is right"),
            ),
        ),
    ),
    hits=HitDefaults(size=100, pairs=10, repeats=0, assignments=3),
    whole_video=True,
    advert=Advert(
        description="Watch short videos and rate several captions of each: how far does the "
        "caption agree with the video, from “nothing is right” to “all is right”?"
    ),
)
PROTOCOLS: Final = (CONSISTENCY,)
