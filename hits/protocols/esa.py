"""Error spans, then a score (ESA): every error is marked as minor or major, the caption rated."""

from __future__ import annotations

from typing import Final

from hits.protocols.direct_assessment import DIRECT
from hits.protocols.values import Advert, AnnotationProtocol, HitDefaults, Marks, gettext_noop

# As many hidden controls as Direct Assessment has, in HITs half as long: marking takes longer.
HITS: Final = HitDefaults(size=50, pairs=5, repeats=5, assignments=1)
MARKED: Final = gettext_noop(
    "Mark every error, and “[missing]” if something important is left out."
)
SEVERITIES: Final = ((gettext_noop("minor"), 1), (gettext_noop("major"), 5))

ESA: Final = AnnotationProtocol(
    name="esa",
    title="Error spans and score (ESA)",
    summary="One caption a page; errors are marked as minor or major, then it is rated 0 to 100",
    questions=(
        Marks("marks", MARKED, severities=SEVERITIES, marks_missing=True),
        DIRECT.questions[0],
    ),
    advert=Advert(
        title="Find errors in captions of short videos",
        description="Watch short videos, mark the errors in their captions, and rate each "
        "caption from 0 to 100.",
        keywords="video, captions, errors",
    ),
    hits=HITS,
)
PROTOCOLS: Final = (ESA,)
