"""Kinds of errors (MQM): every error is marked with its category and severity, the caption rated.

The score of a caption is minus the sum of the weights of its marks. Categories and severities are
the campaign's, or those below, which are for captions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hits.protocols.direct_assessment import DIRECT
from hits.protocols.esa import ESA, MARKED, SEVERITIES
from hits.protocols.values import Marks, gettext_noop

CATEGORIES: Final = (
    gettext_noop("person"),
    gettext_noop("object"),
    gettext_noop("action"),
    gettext_noop("property"),
    gettext_noop("number"),
    gettext_noop("place"),
    gettext_noop("language"),
    gettext_noop("other"),
)
MQM: Final = replace(
    ESA,
    name="mqm",
    title="Kinds of errors (MQM)",
    summary="One caption a page; errors are marked with category and severity, then it is rated",
    questions=(
        Marks("marks", MARKED, SEVERITIES, CATEGORIES, marks_missing=True),
        DIRECT.questions[0],
    ),
)
PROTOCOLS: Final = (MQM,)
