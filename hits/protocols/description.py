"""Describing (direct-assessment-2018): watch a video and write what happens in it.

Nobody sees a caption. What several people write of one video becomes that many sets of references:
the first person's A, the second's B.
"""

from __future__ import annotations

from typing import Final

from hits.protocols.values import Advert, AnnotationProtocol, HitDefaults, Text, gettext_noop

DESCRIBE: Final = AnnotationProtocol(
    name="describe",
    title="Describe",
    summary="One video a page, described in a sentence of one’s own",
    questions=(
        Text(
            "caption",
            gettext_noop("Describe the video in one sentence."),
            (
                ("who", gettext_noop("Who or what is there?")),
                ("what", gettext_noop("What do they do, or what happens?")),
                ("where", gettext_noop("Where is it?")),
                ("when", gettext_noop("When is it: time of day, season?")),
            ),
        ),
    ),
    hits=HitDefaults(size=20, pairs=0, repeats=0, assignments=2),
    whole_video=True,
    writes=True,
    advert=Advert(
        title="Describe short videos",
        description="Watch short videos and write one sentence about each: what happens in it?",
        keywords="video, description, writing",
    ),
)
PROTOCOLS: Final = (DESCRIBE,)
