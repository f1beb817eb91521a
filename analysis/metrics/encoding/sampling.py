"""Which frames of a video are looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Sampling:
    """``uniform:16`` (the middles of 16 equal parts), ``fps:1`` (one a second), ``middle`` (the
    frame with as many before it as after it) or ``all``."""

    kind: str
    amount: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Sampling:
        """
        >>> str(Sampling.parse("uniform:16"))
        'uniform:16'
        """
        kind, _, amount = text.partition(":")
        try:
            sampling = cls(kind, float(amount or 0))
        except ValueError:
            sampling = cls("", 0)
        if not sampling._is_valid():
            raise ValueError(f"frames must be uniform:N, fps:R, middle or all, not {text!r}")
        return sampling

    def _is_valid(self) -> bool:
        if self.kind == "uniform":
            return self.amount >= 1 and self.amount.is_integer()
        return (self.kind == "fps" and 0 < self.amount < np.inf) or (
            self.kind in ("all", "middle") and self.amount == 0
        )

    def __str__(self) -> str:
        return self.kind if self.kind in ("all", "middle") else f"{self.kind}:{self.amount:g}"

    def choose(self, times: NDArray[np.float64]) -> NDArray[np.intp]:
        """Indices of the chosen frames, given when each frame is shown, in order.

        One a second means the frame on screen at 0 s, 1 s, …, whatever the frame rate does.

        >>> Sampling.parse("uniform:2").choose(np.arange(8.0)).tolist()
        [2, 6]
        >>> Sampling.parse("fps:1").choose(np.array([0.0, 0.4, 0.8, 1.2])).tolist()
        [0, 2]
        >>> Sampling.parse("middle").choose(np.arange(250.0)).tolist()
        [125]
        """
        count = len(times)
        if self.kind == "middle" and count:
            return np.array([count // 2])
        if self.kind == "uniform" and self.amount < count:
            parts = int(self.amount)
            return ((2 * np.arange(parts) + 1) * count // (2 * parts)).astype(np.intp)
        if self.kind == "fps" and count:
            ticks = (
                times[0]
                + np.arange(np.floor((times[-1] - times[0]) * self.amount) + 1) / self.amount
            )
            return np.unique(np.searchsorted(times, ticks + 1e-6, side="right") - 1)
        return np.arange(count)
