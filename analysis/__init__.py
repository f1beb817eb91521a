"""What ratings mean: rankings, metrics, and metrics against people.

For notebooks and scripts, without a database or settings::

    from analysis import analyse, evaluate, read_ratings, score
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.notebooks import analyse, evaluate, read_ratings, score

__all__ = ["analyse", "evaluate", "read_ratings", "score"]


def __getattr__(name: str) -> Any:
    """Loaded when first asked for: the web imports this package, and none of that."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from analysis import notebooks

    return getattr(notebooks, name)
