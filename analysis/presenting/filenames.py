"""Names of files that say which list they hold, and of what. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

LISTS: Final = {"annotators": "annotator-list", "captions": "caption-list"}
"""Where a file of the command line's has the name of the list."""
ABOUT: Final = (
    "first", "second", "system", "show", "annotator", "batch", "hit", "video", "human", "metric",
)  # fmt: skip
"""Choices of `analysis.services.downloads` that tell one file from the next."""


def download_name(name: str, choices: Mapping[str, Any]) -> str:
    """
    >>> download_name("pair", {"result": 7, "first": "Ours (big)", "second": "human-b"})
    'pair-Ours-big-human-b'
    >>> download_name("captions", {"result": 7, "search": "dog", "system": ""})
    'caption-list'
    """
    about = [str(choices[key]) for key in ABOUT if choices.get(key)]
    return "-".join(filter(None, map(_plain, [LISTS.get(name, name), *about])))


def _plain(text: str) -> str:
    return re.sub(r"[^\w.+]+", "-", text).strip("-.")[:60]
