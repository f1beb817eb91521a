"""The languages that annotators' pages speak, each by its own name."""

from __future__ import annotations

from typing import Final

LANGUAGES: Final = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("fr", "Français"),
    ("es", "Español"),
    ("pt", "Português"),
    ("zh-hans", "简体中文"),
    ("hi", "हिन्दी"),
]
CODES: Final = tuple(code for code, _ in LANGUAGES)
