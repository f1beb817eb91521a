"""What a training needs to go on after it was stopped. Imports torch: imported late."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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


@contextmanager
def own_random(seed: int) -> Iterator[None]:
    """Random numbers of one's own, on every device; whoever calls finds theirs as they were."""
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(seed)
        yield


def random_states() -> dict[str, Any]:
    """Where the random generators are: of the processor, and of every CUDA device there is."""
    return {"cpu": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all()}


def restore_random(states: dict[str, Any]) -> None:
    """A checkpoint of a machine with other devices goes on; its bytes may then be others."""
    torch.set_rng_state(states["cpu"])
    if len(states["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(states["cuda"])


def training_key(sets: Sequence[RatedSet], *settings: object) -> str:
    """Tells one training from another."""
    digest = hashlib.sha256(repr(settings).encode())
    for rated in sets:
        digest.update(f"{rated.name}|{rated.weight}|{len(rated)}".encode())
        digest.update(rated.scores.tobytes())
        for text in rated.batch.texts():
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()
