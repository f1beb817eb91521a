"""What people were told and how long they waited for it, to be held against the database."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

SAVE = "saving a rating"


@dataclass
class Ledger:
    """One run's book: keys of ratings that were called saved, waits, and what went wrong."""

    told: dict[str, int] = field(default_factory=dict)
    waits: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)

    def saved(self, key: str, score: int) -> None:
        """The site has called it saved. Of one key that can be true of one score only."""
        if self.told.setdefault(key, score) != score:
            raise ValueError(f"key {key} was given to two ratings")

    def begin_again(self) -> None:
        """A new measurement of waits; what was saved or went wrong stays in the book."""
        self.waits.clear()

    def differences(self, rows: Iterable[tuple[str, int]]) -> list[str]:
        """Sentences about ratings that are not in the database exactly as people were told."""
        found: Counter[str] = Counter()
        scores = {}
        for key, score in rows:
            found[key] += 1
            scores[key] = score
        counts = {
            "lost": sum(key not in found for key in self.told),
            "doubled": sum(times > 1 for times in found.values()),
            "saved but never called so": sum(key not in self.told for key in found),
            "saved with another score": sum(
                scores.get(key, score) != score for key, score in self.told.items()
            ),
        }
        return [f"{count:,} {words}" for words, count in counts.items() if count]


def percentiles(waits: list[float]) -> tuple[float, float, float]:
    """The 50th, 95th and 99th, in milliseconds.

    >>> percentiles([0.010] * 100)
    (10.0, 10.0, 10.0)
    """
    cuts = statistics.quantiles(waits, n=100, method="inclusive") if len(waits) > 1 else waits * 99
    return 1000 * cuts[49], 1000 * cuts[94], 1000 * cuts[98]


def print_cuts(name: str, waits: list[float], remark: str = "") -> float:
    """One line about saving; the 99th percentile."""
    p50, p95, p99 = percentiles(waits)
    cuts = f"p50 {p50:6.1f}   p95 {p95:6.1f}   p99 {p99:6.1f} ms"
    print(f"{name:<18}{len(waits):>7,} saved   {cuts}   {remark}")
    return p99


def print_waits(ledger: Ledger, seconds: float) -> None:
    print(f"{'':<24}{'count':>8}{'/s':>8}{'p50':>8}{'p95':>8}{'p99':>8}  ms")
    for act, waits in ledger.waits.items():
        p50, p95, p99 = percentiles(waits)
        rate = len(waits) / seconds
        print(f"{act:<24}{len(waits):>8,}{rate:>8.1f}{p50:>8.1f}{p95:>8.1f}{p99:>8.1f}")
    errors = ", ".join(f"{times} × {what}" for what, times in ledger.errors.items())
    print(f"errors so far: {errors or 'none'}")
