"""METEOR 1.5 for English, computed here from its authors' lists and paraphrases, without Java."""

from __future__ import annotations

from analysis.metrics.families.meteor.family import FAMILIES, RESOURCES

__all__ = ["FAMILIES", "RESOURCES"]
