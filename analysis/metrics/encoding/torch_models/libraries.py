"""open_clip and sentence_transformers, imported in the order that works: torchvision first."""

from __future__ import annotations

import logging
import os
import sys
from functools import cache
from typing import Any

_OPERATORS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)


@cache
def import_torchvision() -> Any:
    """Import torchvision, with its operators declared if need be.

    What is returned must be kept: declarations live as long as the library object, and the cache
    of this function keeps it.
    """
    try:
        import torchvision  # noqa: F401 - imported for its effect
    except RuntimeError as error:
        if "torchvision::nms" not in str(error):
            raise
        return _import_with_operators()
    return None


def _import_with_operators() -> Any:
    from torch.library import Library

    for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
        del sys.modules[name]
    library = Library("torchvision", "DEF")  # type: ignore[no-untyped-call]
    for operator in _OPERATORS:
        library.define(operator)  # type: ignore[no-untyped-call]
    import torchvision  # noqa: F401 - imported for its effect

    return library


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
