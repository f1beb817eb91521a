"""Make torchvision importable beside a torch without CUDA, before anything that imports it.

The torchvision wheel is linked against CUDA.  Beside a CPU build of torch its compiled operators do
not load, and its import ends with "operator torchvision::nms does not exist", which open_clip, timm
and transformers report as something else.  Nothing here uses those operators, so it is enough that
they are declared.  Where torchvision imports by itself this does nothing.
"""

from __future__ import annotations

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
