"""Direct Assessment (direct-assessment-2018): watch, read one caption, rate it from 0 to 100."""

from __future__ import annotations

from typing import Final

from hits.protocols.values import (
    Advert,
    AnnotationProtocol,
    HitDefaults,
    Scale,
    Slider,
    gettext_noop,
)

SCALE: Final = Scale(0, 100)
_ENDS: Final = (gettext_noop("not at all"), gettext_noop("perfectly"))

DIRECT: Final = AnnotationProtocol(
    name="direct",
    title="Direct Assessment",
    summary="One caption a page, rated from 0 to 100 on a line",
    questions=(
        Slider(
            "score", gettext_noop("How well does the caption describe the video?"), SCALE, _ENDS
        ),
    ),
    fluency=Slider(
        "fluency",
        gettext_noop("How well is the caption written, whatever the video shows?"),
        SCALE,
        _ENDS,
    ),
    advert=Advert(
        description="Watch short videos and say for each how well a caption describes it, on a "
        "scale from “not at all” to “perfectly”."
    ),
    hits=HitDefaults(size=100, pairs=10, repeats=10, assignments=1),
)
PROTOCOLS: Final = (DIRECT,)
