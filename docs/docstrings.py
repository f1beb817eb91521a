"""Griffe extension of the documentation site: sections that our docstrings leave unnamed.

A doctest needs no heading to be read in the source; numpydoc's parser wants one.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

HEADINGS = {">>> ": "Examples", "O(": "Notes"}
FIRST = re.compile(r"(?<=\n\n)(?=>>> |O\()")


class Sections(griffe.Extension):
    """Puts a heading above the first doctest, and above what a function costs."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is None:
            return
        text, headed = "", set()
        for part in FIRST.split("\n\n" + obj.docstring.value):
            heading = next((name for mark, name in HEADINGS.items() if part.startswith(mark)), "")
            if heading and heading not in headed:
                headed.add(heading)
                text += f"{heading}\n{'-' * len(heading)}\n"
            text += part
        obj.docstring.value = text.strip()
