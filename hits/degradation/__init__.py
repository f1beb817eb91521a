"""Degrading control captions (PROTOCOL §3; direct-assessment-2018, Table 2)."""

from __future__ import annotations

from hits.degradation.material import words_to_replace
from hits.degradation.versions import Degraded, degrade

__all__ = ["Degraded", "degrade", "words_to_replace"]
