"""What a training needs to go on after it was stopped. Imports torch: imported late."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Final

import torch

from analysis.learning.rated import RatedSet
from analysis.metrics.encoding.embeddings import write_whole

_DAMAGED: Final = (
    *(OSError, EOFError, RuntimeError, UnpicklingError),
    *(KeyError, IndexError, ValueError, TypeError, AttributeError),
)
"""What torch raises for a file that is no checkpoint, or not all of one."""


class Checkpoints:
    """One file beside the folder to come, replaced whole each time.

    Parameters
    ----------
    key : of the data and the settings; what another training left is passed over
    """

    def __init__(self, out: Path, key: str) -> None:
        self.path = out.with_name(f".{out.name}.checkpoint")
        self.key = key

    def save(self, state: dict[str, Any]) -> None:
        """Under a temporary name first: a disk that fills or a kill leaves the last one whole."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, lambda file: torch.save({"key": self.key, **state}, file))

    def load(self) -> dict[str, Any] | None:
        """Numbers and names only: a checkpoint cannot bring code with it."""
        if not self.path.is_file():
            return None
        try:
            kept: dict[str, Any] = torch.load(self.path, map_location="cpu", weights_only=True)
        except _DAMAGED:
            return None  # whatever is wrong with it, training starts anew
        return kept if kept.get("key") == self.key else None

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)


def training_key(sets: Sequence[RatedSet], *settings: object) -> str:
    """Tells one training from another."""
    digest = hashlib.sha256(repr(settings).encode())
    for rated in sets:
        digest.update(f"{rated.name}|{rated.weight}|{len(rated)}".encode())
        digest.update(rated.scores.tobytes())
        for text in rated.batch.texts():
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()
