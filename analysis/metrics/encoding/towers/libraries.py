"""open_clip and sentence_transformers, imported in the order that works: torchvision first."""

from __future__ import annotations

import logging
import os

from analysis.metrics.encoding.towers.torchvision_on_cpu import import_torchvision

import_torchvision()

import open_clip  # noqa: E402
from sentence_transformers import SentenceTransformer  # noqa: E402

__all__ = ["SentenceTransformer", "open_clip"]

# open_clip tells the root logger every step of loading.
logging.getLogger().addFilter(
    lambda record: (
        record.levelno > logging.INFO or f"{os.sep}open_clip{os.sep}" not in record.pathname
    )
)
